import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import {
  CreateVideoRequestSchema,
  VideoService,
} from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { type CallResponse, Pipeline } from "../../src/api/pipeline.ts";
import { ProjectReads } from "../../src/api/reads/project-reads.ts";
import { Previews } from "../../src/api/steps/preview.ts";
import { implement } from "../../src/api/steps/service.ts";
import type { StudioCall } from "../../src/api/steps/studio-call.ts";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { captureLog } from "../harness/captured-log.ts";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { override } from "../harness/override.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";
import { createAccountCaller, createIncoming, NOW } from "./calls.ts";

/** What the handler does. */
type Act = (call: StudioCall) => Promise<void> | void;

/** What was done, in this order. */
let steps: string[] = [];
/** Why no unit of work is committed; undefined: each is. */
let commitError: Error | undefined;
/** Announces the runs of a call. */
let announce: () => void;
let fresh: FreshStore;
let pipeline: Pipeline;
let act: Act;
const captured = captureLog();
beforeAll(async () => {
  fresh = await openFresh(createSmallDataset());
  const handle = async (_request: unknown, call: StudioCall) => {
    await act(call);
    return {};
  };
  pipeline = new Pipeline({
    log: captured.log,
    store: noting(fresh.store),
    services: {
      studio: [
        implement(VideoService, {
          createVideo: handle,
          getVideo: handle,
          listVideos: handle,
          updateVideo: handle,
          deleteVideo: handle,
        }),
      ],
      delivery: [],
    },
    previews: new Previews(fresh.store),
    reads: new ProjectReads(fresh.store, fresh.store),
    viewerTokens: await openViewerTokens(fresh.store, NOW),
    createId: randomUUID,
    onRuns: () => announce(),
  });
});
beforeEach(() => {
  steps = [];
  announce = () => void steps.push("announce");
  commitError = undefined;
});
afterAll(() => fresh.close());

/** A store that notes when permission is looked up, and when a unit of work begins and ends. */
function noting(store: Store): Store {
  const access = override(store.access, {
    listBindings(id) {
      steps.push("permission");
      return store.access.listBindings(id);
    },
  });
  return override(store, {
    access,
    async transaction(scope, run) {
      steps.push("begin");
      try {
        const result = await store.transaction(scope, async (unit) => {
          const response = await run(unit);
          if (commitError !== undefined) throw commitError;
          return response;
        });
        steps.push("commit");
        return result;
      } catch (error) {
        steps.push("undo");
        throw error;
      }
    },
  });
}

/** What can be wrong with a call, in the order in which it is to be found. */
const ERRORS = [
  {
    // A moment that only the binary form can carry.
    spoil: { createTime: { seconds: 1n, nanos: -1 } },
    want: ["VALUE_INVALID", []],
  },
  { isStranger: true, want: ["RESOURCE_NOT_FOUND", ["permission"]] },
  { spoil: { updateTime: { seconds: 1n } }, want: ["FIELD_OUTPUT_ONLY", ["permission"]] },
] as const;

interface Called {
  readonly errors?: readonly (typeof ERRORS)[number][];
  readonly handler?: Act;
  readonly fields?: { readonly validateOnly?: boolean; readonly requestId?: string };
}

/** Calls a write; it is faultless unless said. */
async function call({ errors = [], handler = () => {}, fields = {} }: Called = {}) {
  act = handler;
  const good = { projectId: ALPHA, name: "v", playlistUrl: "https://v.example/a/b.m3u8" };
  const spoilt = errors.map((it) => ("spoil" in it ? it.spoil : {}));
  const isStranger = errors.some((it) => "isStranger" in it);
  const account = isStranger
    ? { id: "eve", organizationId: "other" }
    : { id: "ann", organizationId: "acme" };
  const message = create(CreateVideoRequestSchema, {
    ...fields,
    video: Object.assign({}, good, ...spoilt),
  });
  const incoming = createIncoming(VideoService.method.createVideo);
  return pipeline.call(incoming, createAccountCaller(account), message).then(
    (response: CallResponse) => ({ response, error: undefined, reason: undefined }),
    (error: unknown) => ({ error, reason: reasonOf(error) }),
  );
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof ConnectError)) throw error;
  return error.findDetails(ErrorInfoSchema)[0]?.reason;
}

const handler = () => void steps.push("handler");
const fail = () => {
  throw new Error("broken");
};

describe("a call", () => {
  for (let start = 0; start < ERRORS.length; start += 1) {
    const errors = ERRORS.slice(start);
    const [reason, want] = errors[0]?.want ?? [];
    test(`of ${errors.length} errors finds ${reason} first, and writes nothing`, async () => {
      const got = await call({ errors, handler });
      expect([got.reason, steps]).toEqual([reason, want]);
      expect((got.error as ConnectError).metadata.get("cache-control")).toBe("no-store");
    });
  }

  test("without an error: permission, then one unit of work around the handler", async () => {
    const got = await call({ handler });
    expect([got.error, steps]).toEqual([undefined, ["permission", "begin", "handler", "commit"]]);
    expect(got).toMatchObject({ response: { headers: { "cache-control": "private, no-cache" } } });
  });

  test("translates what a handler throws once all is undone, and logs what nobody foresaw", async () => {
    const before = captured.lines.length;
    const got = await call({
      handler: async ({ organization }) => {
        const { documents } = organization;
        const { value } = await documents.video.get("video-1");
        await documents.video.update("video-1", () => ({ ...value, name: "changed" }));
        throw new Error("the secret cause");
      },
    });
    expect([got.reason, steps]).toEqual(["INTERNAL", ["permission", "begin", "undo"]]);
    expect((got.error as ConnectError).rawMessage).toBe("internal error");
    expect((got.error as ConnectError).code).toBe(Code.Internal);
    expect(captured.lines.length).toBe(before + 1);
    expect((await fresh.store.in("acme").documents.video.get("video-1")).value.name).toBe("");
  });

  test.each<[what: string, called: Called, isCommitted: boolean, want: string[]]>([
    ["takes place after the commit", {}, true, ["commit", "announce"]],
    ["does not take place in a dry run", { fields: { validateOnly: true } }, true, ["undo"]],
    ["does not take place when the handler fails", { handler: fail }, true, ["undo"]],
    ["does not take place when the commit fails", {}, false, ["undo"]],
  ])("the announcement of runs %s", async (_, called, isCommitted, want) => {
    if (!isCommitted) commitError = new Error("it failed");
    await call({
      ...called,
      handler: (studioCall) => {
        studioCall.hasRuns = true;
        return called.handler?.(studioCall);
      },
    });
    expect(steps).toEqual(["permission", "begin", ...want]);
  });

  test("translates also what the announcement of runs throws", async () => {
    announce = fail;
    const got = await call({
      handler: (studioCall) => {
        studioCall.hasRuns = true;
      },
    });
    expect([got.reason, steps.at(-1)]).toEqual(["INTERNAL", "commit"]);
  });

  test("keeps a repeatable response with the write, or not at all", async () => {
    const fields = { requestId: "kept-or-not" };
    const find = () =>
      fresh.store.storedResponses.find({ id: "ann", organizationId: "acme" }, "kept-or-not", NOW);
    commitError = new Error("the commit failed");
    expect((await call({ fields })).reason).toBe("INTERNAL");
    expect(await find()).toBeUndefined();
    commitError = undefined;
    expect((await call({ fields })).reason).toBeUndefined();
    expect(await find()).toMatchObject(fields);
  });
});
