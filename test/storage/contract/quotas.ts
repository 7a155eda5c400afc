import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { EntitlementSchema } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { AccountSchema } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { OrganizationQuotasSchema } from "../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import {
  ProjectQuotasSchema,
  ProjectSchema,
} from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { ReleaseSchema, ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { KINDS } from "../../../src/domain/kinds.ts";
import type { RecordItem } from "../../../src/domain/records/record.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createComponent, createEvent, createSmallDataset } from "../small-dataset.ts";
import { DOCUMENT_SAMPLES, documentsOf } from "./document-samples.ts";
import type { Scenario } from "./scenario.ts";

/** The amounts of a project or an organization. */
type Counts = Readonly<Record<string, number>>;

const NOBODY = () => {};
const EXCEEDED = { code: Code.RESOURCE_EXHAUSTED, reason: "QUOTA_EXCEEDED" };

/** Who has quotas, what it uses, and how its quotas are set. */
interface Holder {
  readonly name: string;
  readonly resource: string;
  readonly read: (store: Store) => Promise<Counts>;
  readonly limit: (store: Store, quotas: Counts) => Promise<void>;
}

const PROJECT: Holder = {
  ...{ name: "project", resource: `project/${ALPHA}`, read: usageOf, limit },
};
const ORGANIZATION: Holder = {
  ...{ name: "organization", resource: "organization/acme" },
  ...{ read: usageOfOrganization, limit: limitOrganization },
};

type Quota = "accounts" | "items" | "keys" | "projects";

/** Whose quotas of a name there are. */
const HOLDERS: Readonly<Record<Quota, readonly Holder[]>> = {
  items: [PROJECT, ORGANIZATION],
  keys: [PROJECT],
  accounts: [ORGANIZATION],
  projects: [ORGANIZATION],
};

/** Adds one resource under a new id, and deletes it. */
interface Way {
  readonly name: string;
  readonly quota: Quota;
  add(store: Store, id: string): Promise<unknown>;
  remove(store: Store, id: string): Promise<unknown>;
}

/** Every way in which the Studio API adds something that counts. */
const WAYS: readonly Way[] = [
  ...DOCUMENT_SAMPLES.flatMap((sample): Way[] => {
    const { quota } = KINDS[sample.kind];
    if (quota !== "items" && quota !== "keys") return [];
    const add = (store: Store, id: string) =>
      documentsOf(store, sample).create(sample.make(id, ALPHA), ...sample.extras(id));
    const remove = (store: Store, id: string) => documentsOf(store, sample).delete(id, NOBODY);
    return [{ name: sample.kind, quota, add, remove }];
  }),
  {
    ...{ name: "page_component", quota: "items" },
    add: (store, id) =>
      store.in("acme").pageComponents.create(createComponent(id, {}), { pageId: "page-1" }, NOBODY),
    remove: (store, id) => store.in("acme").pageComponents.delete(id, NOBODY),
  },
  {
    ...{ name: "entitlement", quota: "items" },
    add: (store, id) => store.in("acme").entitlementAdmin.create(createEntitlement(id)),
    remove: (store, id) => store.in("acme").entitlementAdmin.delete(id, NOBODY),
  },
  {
    ...{ name: "account", quota: "accounts" },
    add: (store, id) => store.in("acme").documents.account.create(createAccount(id)),
    remove: (store, id) => store.in("acme").documents.account.delete(id, NOBODY),
  },
  {
    ...{ name: "project", quota: "projects" },
    add: (store, id) => store.in("acme").documents.project.create(createProject(id)),
    remove: (store, id) => store.in("acme").documents.project.delete(id, NOBODY),
  },
];

/** Kinds of records, of which a file adds something that counts. */
const IMPORTS: readonly (readonly [kind: string, quota: Quota, make: (id: string) => object])[] = [
  ["event", "items", (id) => createEvent(id, {})],
  ["video", "items", (id) => create(VideoSchema, { id, projectId: ALPHA })],
  ["entitlement", "items", createEntitlement],
  ["account", "accounts", createAccount],
  ["project", "projects", createProject],
];

/** Imports records of one kind, each on a line of its own. */
function load(store: Store, kind: string, messages: readonly object[], isDryRun = false) {
  const items = messages.map((message, index) => ({ kind, message, line: index + 1 }));
  return store.importRecords([items as unknown as RecordItem[]], { isDryRun });
}

/** Holds that what a project or an organization holds is counted and held to its quotas. */
export function quotaContract(scenario: Scenario): void {
  const data = createSmallDataset();

  const hold = scenario.share(data);
  for (const { name, quota, add, remove } of WAYS) {
    for (const holder of HOLDERS[quota]) {
      hold(`${name}: the last place of the ${holder.name}, and one more`, async (store) => {
        const before = await holder.read(store);
        const places = (before[quota] ?? 0) + 1;
        await holder.limit(store, { [quota]: places });
        await add(store, "last");
        const full = await holder.read(store);
        expect(full[quota]).toBe(places);
        const { resource } = holder;
        await expect(add(store, "more")).rejects.toMatchObject({
          ...EXCEEDED,
          metadata: { quota, limit: String(places), used: String(places), resource },
        });
        expect(await holder.read(store)).toEqual(full);
        await remove(store, "last");
        expect(await holder.read(store)).toEqual(before);
        await add(store, "more");
        expect(await holder.read(store)).toEqual(full);
        // A quota below what is used blocks nothing but growth.
        await holder.limit(store, { [quota]: 1 });
        await expect(add(store, "again")).rejects.toMatchObject(EXCEEDED);
        await remove(store, "more");
        await holder.limit(store, {});
      });
    }
  }

  for (const holder of [PROJECT, ORGANIZATION]) {
    scenario(`bytes of a ${holder.name}: only growth is rejected`, data, async (store) => {
      for (const sample of DOCUMENT_SAMPLES.filter(({ kind }) => KINDS[kind].quota === "items")) {
        const documents = documentsOf(store, sample);
        const write = (text: string) =>
          documents.update("grows", ({ value }) => ({ ...value, [sample.label.local]: text }));
        const { bytes = 0 } = await usageOf(store);
        await documents.create(
          sample.make("grows", ALPHA, { [sample.label.local]: "ab" }),
          ...sample.extras(`grows ${sample.kind}`),
        );
        const size = (await usageOf(store)).bytes ?? 0;
        expect(size, sample.kind).toBeGreaterThan(bytes);
        const { bytes: used = 0 } = await holder.read(store);
        await holder.limit(store, { bytes: used });
        await write("cd");
        await expect(write("cde"), sample.kind).rejects.toMatchObject({
          ...EXCEEDED,
          metadata: { quota: "bytes", used: String(used), limit: String(used) },
        });
        await holder.limit(store, { bytes: 1 });
        await write("d");
        expect(await usageOf(store), sample.kind).toMatchObject({ bytes: size - 1 });
        await documents.delete("grows", NOBODY);
        expect(await usageOf(store), sample.kind).toMatchObject({ bytes });
        await holder.limit(store, {});
      }
    });
  }

  for (const [kind, quota, make] of IMPORTS) {
    for (const { name, read, limit } of HOLDERS[quota]) {
      scenario(
        `an import of ${kind} records fills the ${name}, or is undone`,
        data,
        async (store) => {
          const used = (await read(store))[quota] ?? 0;
          await limit(store, { [quota]: used + 2 });
          const before = await read(store);
          const take = (ids: readonly string[], isDryRun: boolean) =>
            load(store, kind, ids.map(make), isDryRun);
          for (const isDryRun of [true, false]) {
            await expect(take(["a", "b", "c"], isDryRun)).rejects.toMatchObject({
              ...EXCEEDED,
              message: expect.stringMatching(/^line 3: /),
              metadata: { quota, limit: String(used + 2), used: String(used + 2), line: "3" },
            });
            expect(await read(store)).toEqual(before);
          }
          for (const isDryRun of [true, false]) {
            expect(await take(["a", "b", "a"], isDryRun)).toMatchObject({
              created: 2,
              unchanged: 1,
            });
          }
          expect(await read(store)).toMatchObject({ [quota]: used + 2 });
          for (const isDryRun of [true, false]) {
            await expect(take(["a", "c"], isDryRun)).rejects.toMatchObject({
              metadata: { line: "2" },
            });
          }
        },
      );
    }
  }

  const growing: readonly [string, (text: string) => object][] = [
    ["event", (contentType) => createEvent("event-1", { contentType })],
    ["video", (name) => create(VideoSchema, { id: "video-1", projectId: ALPHA, name })],
  ];
  for (const [kind, make] of growing) {
    for (const { name, read, limit } of [PROJECT, ORGANIZATION]) {
      scenario(
        `a stored ${kind} that a file makes larger counts to the ${name}`,
        data,
        async (store) => {
          const take = (text: string, isDryRun = false) =>
            load(store, kind, [make(text)], isDryRun);
          await take("a".repeat(10));
          const { items, bytes = 0 } = await read(store);
          await limit(store, { bytes: bytes + 5 });
          for (const isDryRun of [true, false]) {
            await expect(take("b".repeat(16), isDryRun)).rejects.toMatchObject({
              ...EXCEEDED,
              metadata: { quota: "bytes", limit: String(bytes + 5), line: "1" },
            });
          }
          await take("c".repeat(15));
          expect(await read(store)).toMatchObject({ items, bytes: bytes + 5 });
          await take("");
          expect((await read(store)).bytes).toBeLessThan(bytes);
        },
      );
    }
  }

  scenario("an import of a project keeps its quotas", data, async (store) => {
    const { bytes = 0 } = await usageOf(store);
    await limit(store, { bytes: bytes + 30 });
    const renamed = create(ProjectSchema, { id: ALPHA, organizationId: "acme", name: "Renamed" });
    for (const isDryRun of [true, false]) await load(store, "project", [renamed], isDryRun);
    const { value } = await store.in("acme").documents.project.get(ALPHA);
    expect([value.name, value.quotas?.bytes]).toEqual(["Renamed", BigInt(bytes + 30)]);
    const event = createEvent("event-1", { contentType: "x".repeat(31) });
    await expect(load(store, "event", [event])).rejects.toMatchObject(EXCEEDED);
  });

  const RACING = ["event", "video", "project_key", "account", "project"];
  for (const { name, quota, add } of WAYS.filter((way) => RACING.includes(way.name))) {
    const [{ read, limit } = PROJECT] = HOLDERS[quota];
    scenario(
      `${name}: 16 writers of two stores take the free places`,
      data,
      async (store, fresh) => {
        const second = await fresh.openAnother();
        const used = (await read(store))[quota] ?? 0;
        await limit(store, { [quota]: used + 5 });
        const results = await race([store, second], (each, index) => add(each, `new-${index}`));
        expect(results).toEqual({ kept: 5, rejected: 11 });
        expect((await read(second))[quota]).toBe(used + 5);
      },
    );
  }

  scenario("16 writers of two projects take the organization's", data, async (store, fresh) => {
    const second = await fresh.openAnother();
    const { items = 0 } = await usageOfOrganization(store);
    await limitOrganization(store, { items: items + 5 });
    const results = await race([store, second], (each, index) => {
      const event = createEvent(`new-${index}`, { projectId: index % 4 < 2 ? ALPHA : BETA });
      return each.in("acme").documents.event.create(event);
    });
    expect(results).toEqual({ kept: 5, rejected: 11 });
    expect((await usageOfOrganization(second)).items).toBe(items + 5);
  });

  scenario(
    "releases applied to two projects take the organization's",
    data,
    async (store, fresh) => {
      const second = await fresh.openAnother();
      const { items = 0 } = await usageOfOrganization(store);
      await limitOrganization(store, { items: items + 5 });
      const results = await race([store, second], (each, index) => {
        const projectId = index % 4 < 2 ? ALPHA : BETA;
        return each.transaction({ projectIds: [projectId], isLong: true }, (unit) =>
          load(unit, "event", [createEvent(`new-${index}`, { projectId })]),
        );
      });
      expect(results).toEqual({ kept: 5, rejected: 11 });
      expect((await usageOfOrganization(second)).items).toBe(items + 5);
    },
  );

  scenario("drafts of a file leave less to its other records", data, async (store) => {
    const title = { en: "a".repeat(1_000) };
    const release = create(ReleaseSchema, { id: "r", projectId: ALPHA, state: ReleaseState.OPEN });
    const { bytes = 0 } = await usageOf(store);
    const records = [
      { kind: "release", message: release },
      { kind: "event", message: createEvent("current", { title }) },
      { kind: "event", message: createEvent("draft", { title }), releaseId: "r" },
    ].map((it, index) => ({ ...it, line: index + 1 })) as unknown as RecordItem[];
    await limit(store, { bytes: bytes + 1_800 });
    await expect(store.importRecords([records])).rejects.toMatchObject(EXCEEDED);
    await limit(store, { bytes: bytes + 3_000 });
    expect(await store.importRecords([records])).toMatchObject({ created: 3 });
  });
}

/** Runs 16 writers at once, by two stores in turns, of which some are rejected by a quota. */
async function race(
  stores: readonly [Store, Store],
  run: (store: Store, index: number) => Promise<unknown>,
) {
  const results = await Promise.allSettled(
    Array.from({ length: 16 }, (_, index) => run(stores[index % 2 === 0 ? 0 : 1], index)),
  );
  const rejected = results.flatMap((it) => (it.status === "rejected" ? [it.reason] : []));
  for (const reason of rejected) expect(reason).toMatchObject(EXCEEDED);
  return { kept: results.length - rejected.length, rejected: rejected.length };
}

async function usageOf(store: Store): Promise<Counts> {
  const { value } = await store.in("acme").documents.project.get(ALPHA);
  const { items = 0n, bytes = 0n, keys = 0 } = value.usage ?? {};
  return { items: Number(items), bytes: Number(bytes), keys };
}

async function usageOfOrganization(store: Store): Promise<Counts> {
  const { value } = await store.in("acme").documents.organization.get("acme");
  const { items = 0n, bytes = 0n, projects = 0, accounts = 0 } = value.usage ?? {};
  return { items: Number(items), bytes: Number(bytes), projects, accounts };
}

async function limit(store: Store, { items = 0, bytes = 0, keys = 0 }: Counts): Promise<void> {
  const quotas = { items: BigInt(items), bytes: BigInt(bytes), keys };
  await store.in("acme").documents.project.update(ALPHA, ({ value }) => ({
    ...value,
    quotas: create(ProjectQuotasSchema, quotas),
  }));
}

async function limitOrganization(
  store: Store,
  { items = 0, bytes = 0, ...counts }: Counts,
): Promise<void> {
  const quotas = { ...counts, items: BigInt(items), bytes: BigInt(bytes) };
  await store.in("acme").documents.organization.update("acme", ({ value }) => ({
    ...value,
    quotas: create(OrganizationQuotasSchema, quotas),
  }));
}

function createAccount(id: string) {
  return create(AccountSchema, { id, organizationId: "acme", name: id });
}

function createProject(id: string) {
  return create(ProjectSchema, { id, organizationId: "acme", name: id });
}

function createEntitlement(id: string) {
  const startTime = { seconds: 1n };
  return create(EntitlementSchema, {
    ...{ id, projectId: ALPHA, userId: "u", offerId: "offer-1", startTime },
  });
}
