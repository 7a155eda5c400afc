import { create } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test, vi } from "vitest";
import {
  CreateVideoRequestSchema,
  VideoService,
} from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { afterCommit, setPart } from "../../src/call/context.ts";
import { createUnitOfWork } from "../../src/call/unit-of-work.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { createSmallDataset, IN_ALPHA } from "../storage/small-dataset.ts";
import { callThrough } from "./chain-call.ts";

const fresh = await openFresh(createSmallDataset());
afterAll(() => fresh.close());

/** Carries a write through the unit of work; its handler has an effect, and ends as `fault` says. */
async function write(init: { readonly validateOnly?: boolean }, fault?: Error) {
  const effect = vi.fn();
  const { fault: thrown } = await callThrough(
    [
      (next) => (request) => {
        const resource = { type: "project", id: IN_ALPHA.projectId, ...IN_ALPHA };
        setPart(request.contextValues, "resource", resource);
        return next(request);
      },
      createUnitOfWork(fresh.store, () => crypto.randomUUID()),
    ],
    {
      method: VideoService.method.createVideo,
      message: create(CreateVideoRequestSchema, init),
      account: { id: "ann", organizationId: IN_ALPHA.organizationId },
      handler: (values) => {
        afterCommit(values, effect);
        if (fault !== undefined) throw fault;
      },
    },
  );
  return { effect, thrown };
}

describe("an effect of a write", () => {
  test("takes place when the write is committed", async () => {
    const { effect, thrown } = await write({});
    expect(thrown).toBeUndefined();
    expect(effect).toHaveBeenCalledOnce();
  });

  test("does not take place in a dry run", async () => {
    const { effect, thrown } = await write({ validateOnly: true });
    expect(thrown).toBeUndefined();
    expect(effect).not.toHaveBeenCalled();
  });

  test("does not take place when the write fails", async () => {
    const fault = new Error("the handler failed");
    const { effect, thrown } = await write({}, fault);
    expect(thrown).toBe(fault);
    expect(effect).not.toHaveBeenCalled();
  });
});
