import { create, type DescMethod } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
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
import { BUDGET, createAccountCaller, createIncoming } from "./calls.ts";

interface Options {
  readonly store?: Store;
  /** Default: CreateVideo. */
  readonly method?: DescMethod;
}

const fresh = await openFresh(createSmallDataset());
afterAll(() => fresh.close());

/** Carries a write through the unit of work. */
async function write(
  init: { readonly validateOnly?: boolean; readonly requestId?: string },
  { store = fresh.store, method = VideoService.method.createVideo }: Options = {},
) {
  const unitOfWork = new UnitOfWork({ store, createId: () => crypto.randomUUID() });
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
    .run(call, fields, message, async () => create(CreateVideoResponseSchema))
    .then(
      () => undefined,
      (cause: unknown) => cause,
    );
  return { thrown };
}

// The messages of two methods differ in what they name: the wire cannot show that a method counts by itself.
test("the same message under another method, or one of another service, is another request", async () => {
  const { createVideo: method } = VideoService.method;
  const init = { requestId: "once" };
  expect((await write(init)).thrown).toBeUndefined();
  expect((await write(init)).thrown).toBeUndefined();
  for (const other of [
    { ...method, name: "CreateAnother" },
    { ...method, parent: { ...method.parent, typeName: "svc.studio.Other" } },
  ]) {
    const { thrown } = await write(init, { method: other as DescMethod });
    expect(thrown).toMatchObject({ reason: "REQUEST_ID_REUSED" });
  }
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
