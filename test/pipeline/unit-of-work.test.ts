import { create, type DescMethod } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
import { ProjectService } from "../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import {
  CreateVideoRequestSchema,
  CreateVideoResponseSchema,
  VideoService,
} from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { ResponseLimit } from "../../src/api/steps/response-limit.ts";
import { UnitOfWork } from "../../src/api/steps/unit-of-work.ts";
import type { Account } from "../../src/storage/contract/access.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import type { WriteScope } from "../../src/storage/contract/write-scope.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { createSmallDataset, IN_ALPHA } from "../storage/small-dataset.ts";
import { BUDGET, createAccountCaller, createIncoming, NOW } from "./calls.ts";

interface Options {
  readonly store?: Store;
  /** Default: CreateVideo. */
  readonly method?: DescMethod;
  /** Default: one of its own. */
  readonly unitOfWork?: UnitOfWork;
  /** Default: the time of all calls. */
  readonly now?: Date;
}

const fresh = await openFresh(createSmallDataset());
afterAll(() => fresh.close());

/** Carries a write through the unit of work. */
async function write(
  init: { readonly validateOnly?: boolean; readonly requestId?: string },
  {
    store = fresh.store,
    method = VideoService.method.createVideo,
    unitOfWork = new UnitOfWork({ store, createId: () => crypto.randomUUID() }),
    now = NOW,
  }: Options = {},
) {
  const incoming = createIncoming(method);
  const call = {
    incoming: { ...incoming, request: { ...incoming.request, now } },
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

test("the oldest stored responses of an organization are deleted when newer ones need their bytes", async () => {
  const { store } = fresh;
  const ann: Account = { id: "ann", organizationId: IN_ALPHA.organizationId };
  const eve: Account = { id: "eve", organizationId: "other" };
  const later = (turn: number) => new Date(NOW.getTime() + turn);
  const find = (requestId: string, account = ann) =>
    store.storedResponses.find(account, requestId, NOW);
  const other = { account: eve, requestId: "of another", expireTime: later(1) };
  const content = { requestHash: Uint8Array.of(1), response: Uint8Array.of(1) };
  await store.storedResponses.keep({ ...other, ...content }, NOW);
  await write({ requestId: "turn-0" });
  const { length } = (await find("turn-0"))?.response ?? [];
  const responseLimit = new ResponseLimit(32 * length);
  const parts = { store, createId: () => crypto.randomUUID(), responseLimit };
  const unitOfWork = new UnitOfWork(parts);
  const listKept = async (turns: readonly number[], setBack = 0) => {
    for (const turn of turns) {
      const now = later(turn - setBack);
      const { thrown } = await write({ requestId: `turn-${turn}` }, { unitOfWork, now });
      expect(thrown).toBeUndefined();
    }
    const found = await Promise.all(turns.map((turn) => find(`turn-${turn}`)));
    return turns.filter((_turn, index) => found[index] !== undefined);
  };
  const turns = Array.from({ length: 132 }, (_, index) => index + 1);
  // As calls end that began at once: after each part comes one that expires before its end.
  const disordered = turns.slice(0, 101).map((turn) => (turn === 1 ? 1 : turn ^ 1));
  expect((await listKept(disordered)).sort((a, b) => a - b)).toEqual(turns.slice(69, 101));
  // A clock that was set back: these expire before all others.
  expect(await listKept(turns.slice(101), 100_000)).toEqual(turns.slice(101));
  expect(await find(other.requestId, other.account)).toBeDefined();
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
    { projectIds: [IN_ALPHA.projectId], owner: IN_ALPHA.organizationId },
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
