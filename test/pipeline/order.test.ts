import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import {
  CreateVideoRequestSchema,
  VideoService,
} from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { createCallChain } from "../../src/api/pipeline.ts";
import { cacheControlInterceptor } from "../../src/api/steps/cache-control.ts";
import { afterCommit, getPart, getStore, setPart } from "../../src/api/steps/call.ts";
import { fieldBehaviorInterceptor, valuesInterceptor } from "../../src/api/steps/check-input.ts";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import type { AccessStore, Store } from "../../src/storage/store.ts";
import { captureLog } from "../harness/captured-log.ts";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";
import { type ChainCall, callThrough, NOW } from "./chain-call.ts";

/** What was done, in this order. */
let steps: string[] = [];
let fresh: FreshStore;
let chain: Interceptor[];
const captured = captureLog();
beforeAll(async () => {
  fresh = await openFresh();
  await fresh.store.load(createSmallDataset());
  chain = createCallChain({
    log: captured.log,
    store: noting(fresh.store),
    viewerTokens: await openViewerTokens(fresh.store, NOW),
    createId: randomUUID,
  }).interceptors;
});
beforeEach(() => {
  steps = [];
});
afterAll(() => fresh.close());

/** A store that notes when permission is looked up, and when a unit of work begins and ends. */
function noting(store: Store): Store {
  const access: AccessStore = {
    ...store.access,
    listBindings(id) {
      steps.push("permission");
      return store.access.listBindings(id);
    },
  };
  return {
    ...store,
    access,
    async transaction(scope, run) {
      steps.push("begin");
      try {
        const result = await store.transaction(scope, run);
        steps.push("commit");
        return result;
      } catch (fault) {
        steps.push("undo");
        throw fault;
      }
    },
  };
}

/** What can be wrong with a call, in the order in which it is to be found. */
const FAULTS = [
  {
    // A moment that only the binary form can carry.
    spoil: { createTime: { seconds: 1n, nanos: -1 } },
    want: ["VALUE_INVALID", []],
  },
  { isStranger: true, want: ["RESOURCE_NOT_FOUND", ["permission"]] },
  { spoil: { updateTime: { seconds: 1n } }, want: ["FIELD_OUTPUT_ONLY", ["permission"]] },
] as const;

interface Called {
  readonly faults?: readonly (typeof FAULTS)[number][];
  readonly handler?: NonNullable<ChainCall["handler"]>;
}

/** Calls a write; it is faultless unless said. */
async function call({ faults = [], ...more }: Called = {}) {
  const good = { projectId: ALPHA, name: "v", playlistUrl: "https://v.example/a/b.m3u8" };
  const spoilt = faults.map((it) => ("spoil" in it ? it.spoil : {}));
  const isStranger = faults.some((it) => "isStranger" in it);
  const ended = await callThrough(chain, {
    method: VideoService.method.createVideo,
    message: create(CreateVideoRequestSchema, { video: Object.assign({}, good, ...spoilt) }),
    account: isStranger
      ? { id: "eve", organizationId: "other" }
      : { id: "ann", organizationId: "acme" },
    ...more,
  });
  return { ...ended, reason: reasonOf(ended.fault) };
}

function reasonOf(fault: unknown): string | undefined {
  if (fault === undefined) return undefined;
  if (!(fault instanceof ConnectError)) throw fault;
  return fault.findDetails(ErrorInfoSchema)[0]?.reason;
}

const handler = () => void steps.push("handler");

describe("the chain", () => {
  test("says who may keep an answer outside of all that decides what the answer is", () => {
    const places = [cacheControlInterceptor, valuesInterceptor, fieldBehaviorInterceptor].map(
      (it) => chain.indexOf(it),
    );
    expect(places[0]).toBeGreaterThan(0);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  for (let start = 0; start < FAULTS.length; start += 1) {
    const faults = FAULTS.slice(start);
    const [reason, want] = faults[0]?.want ?? [];
    test(`of ${faults.length} faults finds ${reason} first, and writes nothing`, async () => {
      const got = await call({ faults, handler });
      expect([got.reason, steps]).toEqual([reason, want]);
      expect((got.fault as ConnectError).metadata.get("cache-control")).toBe("no-store");
    });
  }

  test("lets a faultless call through: permission, then one unit of work around the handler", async () => {
    const got = await call({ handler });
    expect([got.fault, steps]).toEqual([undefined, ["permission", "begin", "handler", "commit"]]);
    expect(getPart(got.values, "caching")).toEqual({ "cache-control": "private, no-cache" });
  });

  test("translates what a handler throws once all is undone, and logs what nobody foresaw", async () => {
    const before = captured.lines.length;
    const got = await call({
      handler: async (values) => {
        const { documents } = getStore(values);
        const { value } = await documents.video.get("video-1");
        await documents.video.update("video-1", () => ({ ...value, name: "changed" }));
        throw new Error("the secret cause");
      },
    });
    expect([got.reason, steps]).toEqual(["INTERNAL", ["permission", "begin", "undo"]]);
    expect((got.fault as ConnectError).rawMessage).toBe("internal error");
    expect((got.fault as ConnectError).code).toBe(Code.Internal);
    expect(captured.lines.length).toBe(before + 1);
    expect((await fresh.store.in("acme").documents.video.get("video-1")).value.name).toBe("");
  });

  test("translates also what an interceptor throws when the answer comes back", async () => {
    const got = await call({
      handler: (values) => {
        handler();
        afterCommit(values, () => setPart(values, "caller", undefined as never));
      },
    });
    expect([got.reason, steps.at(-1)]).toEqual(["INTERNAL", "commit"]);
  });
});
