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
import { Code } from "../../../src/domain/errors.ts";
import { KINDS } from "../../../src/domain/kinds.ts";
import type { RecordItem } from "../../../src/domain/records/record.ts";
import type { Store } from "../../../src/storage/store.ts";
import { ALPHA, BETA, createComponent, createEvent, createSmallDataset } from "../small-dataset.ts";
import { DOCUMENT_SAMPLES, documentsOf } from "./document-samples.ts";
import type { Scenario } from "./scenario.ts";

/** The amounts of a project or an organization. */
type Counts = Readonly<Record<string, number>>;

const NOBODY = () => {};
const EXCEEDED = { code: Code.RESOURCE_EXHAUSTED, reason: "QUOTA_EXCEEDED" };

/** Adds one resource to the project alpha under a new id, and deletes it. */
interface Way {
  readonly name: string;
  readonly quota: "items" | "keys";
  add(store: Store, id: string): Promise<unknown>;
  remove(store: Store, id: string): Promise<unknown>;
}

/** Every way in which management adds something that counts to a project. */
const WAYS: readonly Way[] = [
  ...DOCUMENT_SAMPLES.flatMap((sample): Way[] => {
    const { quota } = KINDS[sample.type];
    if (quota !== "items" && quota !== "keys") return [];
    const add = (store: Store, id: string) =>
      documentsOf(store, sample).create(sample.make(id, ALPHA), ...sample.extras(id));
    const remove = (store: Store, id: string) => documentsOf(store, sample).delete(id, NOBODY);
    return [{ name: sample.type, quota, add, remove }];
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
];

/** Holds that what a project or an organization holds is counted and held to its quotas. */
export function quotaContract(scenario: Scenario): void {
  const data = createSmallDataset();

  for (const { name, quota, add, remove } of WAYS) {
    scenario(`${name}: the last place is taken, one more is refused`, data, async (store) => {
      const before = await usageOf(store);
      const places = (before[quota] ?? 0) + 1;
      await limit(store, { [quota]: places });
      await add(store, "last");
      const full = await usageOf(store);
      expect(full[quota]).toBe(places);
      await expect(add(store, "more")).rejects.toMatchObject({
        ...EXCEEDED,
        metadata: {
          ...{ quota, limit: String(places), used: String(places) },
          resource: `project/${ALPHA}`,
        },
      });
      expect(await usageOf(store)).toEqual(full);
      await remove(store, "last");
      expect(await usageOf(store)).toEqual(before);
      await add(store, "more");
      expect(await usageOf(store)).toEqual(full);
      // A quota below what is used blocks nothing but growth.
      await limit(store, { [quota]: 1 });
      await expect(add(store, "again")).rejects.toMatchObject(EXCEEDED);
      await remove(store, "more");
    });

    if (quota === "keys") continue;
    scenario(`${name}: the organization's last place`, data, async (store) => {
      const { items = 0 } = await usageOfOrganization(store);
      await limitOrganization(store, { items: items + 1 });
      await add(store, "last");
      await expect(add(store, "more")).rejects.toMatchObject({
        ...EXCEEDED,
        metadata: { quota: "items", used: String(items + 1), resource: "organization/acme" },
      });
      expect(await usageOfOrganization(store)).toMatchObject({ items: items + 1 });
      await remove(store, "last");
      await add(store, "more");
    });
  }

  for (const [name, holder] of [
    ["a project's", limit],
    ["an organization's", limitOrganization],
  ] as const) {
    scenario(`${name} bytes: growth is refused, shrinking never`, data, async (store) => {
      for (const sample of DOCUMENT_SAMPLES.filter(({ type }) => KINDS[type].quota === "items")) {
        const documents = documentsOf(store, sample);
        const write = (text: string) =>
          documents.update("grows", ({ value }) => ({ ...value, [sample.label.local]: text }));
        const { bytes = 0 } = await usageOf(store);
        await documents.create(
          sample.make("grows", ALPHA, { [sample.label.local]: "ab" }),
          ...sample.extras(`grows ${sample.type}`),
        );
        const size = (await usageOf(store)).bytes ?? 0;
        expect(size, sample.type).toBeGreaterThan(bytes);
        const used = name === "a project's" ? size : (await usageOfOrganization(store)).bytes;
        await holder(store, { bytes: used ?? 0 });
        await write("cd");
        await expect(write("cde"), sample.type).rejects.toMatchObject({
          ...EXCEEDED,
          metadata: { quota: "bytes", used: String(used), limit: String(used) },
        });
        await holder(store, { bytes: 1 });
        await write("d");
        expect(await usageOf(store), sample.type).toMatchObject({ bytes: size - 1 });
        await documents.delete("grows", NOBODY);
        expect(await usageOf(store), sample.type).toMatchObject({ bytes });
        await holder(store, {});
      }
    });
  }

  for (const [quota, add] of [
    ["accounts", addAccount],
    ["projects", addProject],
  ] as const) {
    scenario(`${quota}: the last place is taken, one more is refused`, data, async (store) => {
      const before = await usageOfOrganization(store);
      const used = before[quota] ?? 0;
      await limitOrganization(store, { [quota]: used + 1 });
      await add(store, "last");
      await expect(add(store, "more")).rejects.toMatchObject({
        ...EXCEEDED,
        metadata: { quota, used: String(used + 1), resource: "organization/acme" },
      });
      const { documents } = store.in("acme");
      await documents[quota === "accounts" ? "account" : "project"].delete("last", NOBODY);
      expect(await usageOfOrganization(store)).toEqual(before);
      await add(store, "more");
    });
  }

  const imports: readonly [string, (id: string) => object][] = [
    ["event", (id) => createEvent(id, {})],
    ["video", (id) => create(VideoSchema, { id, projectId: ALPHA })],
    ["entitlement", createEntitlement],
    ["account", (id) => create(AccountSchema, { id, organizationId: "acme", name: id })],
    ["project", (id) => create(ProjectSchema, { id, organizationId: "acme", name: id })],
  ];
  const ofOrganization = ["account", "project"];
  const importsByHolder = imports.flatMap(([kind, make]) =>
    ofOrganization.includes(kind)
      ? ([["organization", kind, make]] as const)
      : ([
          ["project", kind, make],
          ["organization", kind, make],
        ] as const),
  );
  for (const [holder, kind, make] of importsByHolder) {
    const quota = ofOrganization.includes(kind) ? `${kind}s` : "items";
    const [read, set] =
      holder === "project"
        ? ([usageOf, limit] as const)
        : ([usageOfOrganization, limitOrganization] as const);
    scenario(
      `an import of ${kind} records fills what is free in the ${holder}, or writes nothing`,
      data,
      async (store) => {
        const used = (await read(store))[quota] ?? 0;
        await set(store, { [quota]: used + 2 });
        const before = await read(store);
        const take = (ids: readonly string[], isDryRun: boolean) => {
          const items = ids.map((id, index) => ({ kind, message: make(id), line: index + 1 }));
          const batches = [items as unknown as RecordItem[]];
          return store.importRecords(batches, { isDryRun });
        };
        for (const isDryRun of [true, false]) {
          await expect(take(["a", "b", "c"], isDryRun)).rejects.toMatchObject({
            ...EXCEEDED,
            message: expect.stringMatching(/^line 3: /),
            metadata: { quota, limit: String(used + 2), used: String(used + 2), line: "3" },
          });
          expect(await read(store)).toEqual(before);
        }
        for (const isDryRun of [true, false]) {
          expect(await take(["a", "b", "a"], isDryRun)).toMatchObject({ created: 2, unchanged: 1 });
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

  const growing: readonly [string, (text: string) => object][] = [
    ["event", (contentType) => createEvent("event-1", { contentType })],
    ["video", (name) => create(VideoSchema, { id: "video-1", projectId: ALPHA, name })],
  ];
  for (const [kind, make] of growing) {
    for (const [holder, read, set] of [
      ["project", usageOf, limit],
      ["organization", usageOfOrganization, limitOrganization],
    ] as const) {
      scenario(
        `an import that makes a stored ${kind} larger counts the growth to the ${holder}`,
        data,
        async (store) => {
          const take = (text: string, isDryRun: boolean) => {
            const items = [{ kind, message: make(text), line: 1 }] as unknown as RecordItem[];
            return store.importRecords([items], { isDryRun });
          };
          await take("a".repeat(10), false);
          const { items, bytes = 0 } = await read(store);
          await set(store, { bytes: bytes + 5 });
          for (const isDryRun of [true, false]) {
            await expect(take("b".repeat(16), isDryRun)).rejects.toMatchObject({
              ...EXCEEDED,
              metadata: { quota: "bytes", limit: String(bytes + 5), line: "1" },
            });
          }
          await take("c".repeat(15), false);
          expect(await read(store)).toMatchObject({ items, bytes: bytes + 5 });
          await take("", false);
          expect((await read(store)).bytes).toBeLessThan(bytes);
        },
      );
    }
  }

  scenario("an import is held to the bytes of documents, and keeps quotas", data, async (store) => {
    const { bytes = 0, items = 0 } = await usageOf(store);
    const event = (text: string) => createEvent("event-1", { contentType: text });
    const project = create(ProjectSchema, { id: ALPHA, organizationId: "acme", name: "Renamed" });
    const take = (message: object, kind: string, isDryRun: boolean) =>
      store.importRecords([[{ kind, message, line: 7 }] as unknown as RecordItem[]], {
        isDryRun,
      });
    await limit(store, { bytes: bytes + 30 });
    for (const isDryRun of [true, false]) {
      await take(project, "project", isDryRun);
      await expect(take(event("x".repeat(31)), "event", isDryRun)).rejects.toMatchObject({
        ...EXCEEDED,
        metadata: { quota: "bytes", line: "7" },
      });
    }
    await take(event("x"), "event", false);
    expect((await usageOf(store)).items).toBe(items);
    const { value } = await store.in("acme").documents.project.get(ALPHA);
    expect([value.name, value.quotas?.bytes]).toEqual(["Renamed", BigInt(bytes + 30)]);
  });

  const races: readonly (readonly [
    string,
    "items" | "keys" | "accounts" | "projects",
    Way["add"],
  ])[] = [
    ...WAYS.filter(({ name }) => ["event", "video", "project_key"].includes(name)).map(
      ({ name, quota, add }) => [name, quota, add] as const,
    ),
    ["account", "accounts", addAccount],
    ["project", "projects", addProject],
  ];
  for (const [name, quota, add] of races) {
    const isOfProject = quota === "items" || quota === "keys";
    scenario(
      `${name}: 16 writers of two stores take just the free places`,
      data,
      async (store, fresh) => {
        const second = await fresh.openAnother();
        const read = isOfProject ? usageOf : usageOfOrganization;
        const used = (await read(store))[quota] ?? 0;
        await (isOfProject ? limit : limitOrganization)(store, { [quota]: used + 5 });
        const results = await race([store, second], (each, index) => add(each, `new-${index}`));
        expect(results).toEqual({ kept: 5, refused: 11 });
        expect((await read(second))[quota]).toBe(used + 5);
      },
    );
  }

  scenario(
    "16 writers of two projects take just the organization's places",
    data,
    async (store, fresh) => {
      const second = await fresh.openAnother();
      const { items = 0 } = await usageOfOrganization(store);
      await limitOrganization(store, { items: items + 5 });
      const results = await race([store, second], (each, index) =>
        each
          .in("acme")
          .documents.event.create(
            createEvent(`new-${index}`, { projectId: index % 4 < 2 ? ALPHA : BETA }),
          ),
      );
      expect(results).toEqual({ kept: 5, refused: 11 });
      expect((await usageOfOrganization(second)).items).toBe(items + 5);
    },
  );
}

/** Runs 16 writers at once, by two stores in turns, of which some are refused by a quota. */
async function race(
  stores: readonly [Store, Store],
  run: (store: Store, index: number) => Promise<unknown>,
) {
  const results = await Promise.allSettled(
    Array.from({ length: 16 }, (_, index) => run(stores[index % 2 === 0 ? 0 : 1], index)),
  );
  const refused = results.flatMap((it) => (it.status === "rejected" ? [it.reason] : []));
  for (const reason of refused) expect(reason).toMatchObject(EXCEEDED);
  return { kept: results.length - refused.length, refused: refused.length };
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

function addAccount(store: Store, id: string): Promise<unknown> {
  const account = create(AccountSchema, { id, organizationId: "acme", name: id });
  return store.in("acme").documents.account.create(account);
}

function addProject(store: Store, id: string): Promise<unknown> {
  const project = create(ProjectSchema, { id, organizationId: "acme", name: id });
  return store.in("acme").documents.project.create(project);
}

function createEntitlement(id: string) {
  const startTime = { seconds: 1n };
  return create(EntitlementSchema, {
    ...{ id, projectId: ALPHA, userId: "u", offerId: "offer-1", startTime },
  });
}
