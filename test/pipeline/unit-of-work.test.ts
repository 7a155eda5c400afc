import { create, type DescMethod } from "@bufbuild/protobuf";
import { afterAll, describe, expect, type Mock, test, vi } from "vitest";
import { ProjectService } from "../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import {
  CreateVideoRequestSchema,
  CreateVideoResponseSchema,
  VideoService,
} from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { UnitOfWork } from "../../src/api/steps/unit-of-work.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import type { WriteScope } from "../../src/storage/contract/write-scope.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { createSmallDataset, IN_ALPHA } from "../storage/small-dataset.ts";
import { BUDGET, createAccountCaller, createIncoming, NOW } from "./calls.ts";

interface Options {
  readonly error?: Error;
  readonly store?: Store;
  readonly effect?: Mock<() => void>;
  /** Default: CreateVideo. */
  readonly method?: DescMethod;
}

const fresh = await openFresh(createSmallDataset());
afterAll(() => fresh.close());

/** Carries a write through the unit of work; its handler has an effect, and ends as `error` says. */
async function write(
  init: { readonly validateOnly?: boolean; readonly requestId?: string },
  {
    error,
    store = fresh.store,
    effect = vi.fn(),
    method = VideoService.method.createVideo,
  }: Options = {},
) {
  const unitOfWork = new UnitOfWork(store, () => crypto.randomUUID());
  const call = {
    incoming: createIncoming(method),
    caller: createAccountCaller({ id: "ann", organizationId: IN_ALPHA.organizationId }),
    held: [],
    resource: { kind: "project", id: IN_ALPHA.projectId, ...IN_ALPHA },
    budget: BUDGET,
  };
  const fields = { validateOnly: false, requestId: "", updatedFields: [], ...init };
  const message = create(CreateVideoRequestSchema, init);
  const thrown: unknown = await unitOfWork
    .run(call, fields, message, async (studioCall) => {
      studioCall.afterCommit(effect);
      if (error !== undefined) throw error;
      return create(CreateVideoResponseSchema);
    })
    .then(
      () => undefined,
      (cause: unknown) => cause,
    );
  return { effect, thrown };
}

/** A store that does something between the commit and its end. */
function committing(afterCommit: () => void): Store {
  return {
    ...fresh.store,
    async transaction(scope, run) {
      const result = await fresh.store.transaction(scope, run);
      afterCommit();
      return result;
    },
  };
}

describe("an effect of a write", () => {
  const error = new Error("it failed");
  const failing = committing(() => {
    throw error;
  });
  test.each<[string, Parameters<typeof write>, thrown: unknown, times: number]>([
    ["takes place when the write is committed", [{}], undefined, 1],
    ["does not take place in a dry run", [{ validateOnly: true }], undefined, 0],
    ["does not take place when the write fails", [{}, { error }], error, 0],
    ["does not take place when the commit fails", [{}, { store: failing }], error, 0],
  ])("%s", async (_what, args, thrown, times) => {
    const got = await write(...args);
    expect(got.thrown).toBe(thrown);
    expect(got.effect).toHaveBeenCalledTimes(times);
  });

  test("begins after the commit", async () => {
    const order: string[] = [];
    const store = committing(() => order.push("committed"));
    await write({}, { store, effect: vi.fn(() => void order.push("begun")) });
    expect(order).toEqual(["committed", "begun"]);
  });
});

test("a repeatable response is kept with the write, or not at all", async () => {
  const error = new Error("the commit failed");
  const failing: Store = {
    ...fresh.store,
    transaction: (scope, run) =>
      fresh.store.transaction(scope, async (unit) => {
        await run(unit);
        throw error;
      }),
  };
  const init = { requestId: "kept-or-not" };
  const find = () =>
    fresh.store.storedResponses.find(
      { id: "ann", organizationId: IN_ALPHA.organizationId },
      init.requestId,
      NOW,
    );
  expect((await write(init, { store: failing })).thrown).toBe(error);
  expect(await find()).toBeUndefined();
  expect((await write(init)).thrown).toBeUndefined();
  expect(await find()).toMatchObject(init);
});

// A project that is deleted or gets other quotas changes what its organization has left for all of its projects.
test.each<[string, DescMethod, WriteScope]>([
  [
    "a write of a project locks its organization",
    ProjectService.method.deleteProject,
    { organizationId: IN_ALPHA.organizationId },
  ],
  [
    "a write in a project locks the project alone",
    VideoService.method.createVideo,
    { projectIds: [IN_ALPHA.projectId] },
  ],
])("%s", async (_what, method, want) => {
  const scopes: unknown[] = [];
  const store: Store = {
    ...fresh.store,
    transaction: (scope, run) => {
      scopes.push(scope);
      return fresh.store.transaction(scope, run);
    },
  };
  expect((await write({ validateOnly: true }, { method, store })).thrown).toBeUndefined();
  expect(scopes).toEqual([want]);
});
