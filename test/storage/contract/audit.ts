import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { AuditQuery } from "../../../src/storage/contract/audit.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { createEndlessBudget, createSlowBudget } from "../slow-budget.ts";
import { EMPTY } from "./document-samples.ts";
import { readAll } from "./paging.ts";
import type { Scenario } from "./scenario.ts";

const NOW = new Date(0);

/** Deletes all entries older than a time; returns the number of steps. */
async function pruneAll({ audit }: Store, before: Date, limit: number): Promise<number> {
  let place: string | undefined;
  for (let steps = 1; ; steps += 1) {
    place = await audit.prune(before, place, limit);
    if (place === undefined) return steps;
  }
}

/** Holds the store of audit entries. */
export function auditContract(scenario: Scenario): void {
  scenario("an entry is listed as it was added", EMPTY, async (store) => {
    const entry = create(EntrySchema, {
      ...{ id: "e", organizationId: "acme", projectId: "alpha", accountId: "ann" },
      ...{ method: "svc.X/Y", resourceType: "video", resourceId: "v", requestId: "r" },
      ...{ time: { seconds: 1_700_000_000n, nanos: 123_456_000 }, updatedFields: ["name", "a.b"] },
    });
    await store.audit.add(entry);
    expect(await list(store)).toEqual({ values: [entry] });
    expect(await list(store, { organizationId: "Acme" })).toEqual({ values: [] });
  });

  scenario("newest first, ties by id, in pages of every size", EMPTY, async (store) => {
    const want = await fill(store);
    for (const limit of [1, 2, 3, want.length - 1, want.length, want.length + 1]) {
      expect(await listAll(store, {}, limit)).toEqual(want);
    }
  });

  scenario("old entries are deleted in steps of one organization", EMPTY, async (store) => {
    const { audit } = store;
    expect(await audit.findNewest()).toBeUndefined();
    const second = (seconds: number) => new Date(seconds * 1_000);
    for (const [organizationId, seconds] of [
      ["acme", 1],
      ["acme", 2],
      ["acme", 3],
      ["acme", 9],
      ["other", 2],
      ["other", 8],
    ] as const) {
      const id = `${organizationId}-${seconds}`;
      await audit.add(entryOf({ id, organizationId, time: { seconds: BigInt(seconds) } }));
    }
    expect(await audit.findNewest()).toEqual(second(9));
    const listIds = async () => [
      ...(await listAll(store)),
      ...(await listAll(store, { organizationId: "other" })),
    ];
    const all = await listIds();
    expect(all).toHaveLength(6);
    expect(await pruneAll(store, second(1), 2)).toBe(1);
    expect(await listIds()).toEqual(all);
    let place = await audit.prune(second(9), undefined, 1);
    expect((await listIds()).length).toBe(5);
    for (; place !== undefined; place = await audit.prune(second(3), place, 1));
    expect(await listIds()).toEqual(["acme-9", "acme-3", "other-8"]);
    await pruneAll(store, second(9), 1);
    expect(await listIds()).toEqual(["acme-9"]);
  });

  scenario("a filter takes what it says, in pages of every size", EMPTY, async (store) => {
    const all = await fill(store);
    const of = (...ids: readonly string[]) => all.filter((id) => ids.includes(id));
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["account_id: ann", of("b", "c", "\u{1f600}")],
      ["account_id: ann and project_id: alpha", of("b")],
      ["account_id: ann or id: A", of("b", "c", "\u{1f600}", "A")],
      ["not account_id: ann", of("a", "A", "\uff61")],
      ["project_id: alpha", of("b", "a")],
      ["account_id: Ann", []],
      ["updated_fields: name", of("c")],
      ['time >= "1970-01-01T00:00:03Z"', of("c", "\u{1f600}")],
    ];
    for (const [text, want] of cases) {
      for (const limit of [1, 2, 100]) {
        const got = await listAll(store, { filter: parseKql(text) }, limit);
        expect([text, got]).toEqual([text, want]);
      }
    }
  });

  scenario("short pages together hold everything", EMPTY, async (store) => {
    await store.transaction("installation", async (unit) => {
      for (let number = 0; number < 1_500; number += 1) {
        const init = { id: `e-${number}`, accountId: number === 3 ? "ann" : "eve" };
        await unit.audit.add(entryOf({ ...init, time: { seconds: BigInt(number) } }));
      }
    });
    const filter = parseKql("not account_id: eve");
    const budget = createSlowBudget(100);
    const first = await list(store, { filter, limit: 5, budget });
    expect(first.values).toEqual([]);
    expect(first.next).toBeDefined();
    expect(await listAll(store, { filter }, 5)).toEqual(["e-3"]);
    // Through the index it is found at once.
    const found = await list(store, { filter: parseKql("account_id: ann"), limit: 5 });
    expect(found.values.map(({ id }) => id)).toEqual(["e-3"]);
    expect(found.next).toBeUndefined();
  });

  scenario("entries outlive their resources", EMPTY, async (store) => {
    const want = await fill(store);
    await store.in("acme").documents.organization.delete("acme", () => undefined);
    expect(await listAll(store)).toEqual(want);
  });

  scenario("entries are of the organization, and not of its id", EMPTY, async (store) => {
    const { organization } = store.in("acme").documents;
    const { value } = await organization.get("acme");
    const remove = (id: string) =>
      store.transaction("installation", async (unit) => {
        await unit.in("acme").documents.organization.delete("acme", () => undefined);
        // The entry of its end is one of its own.
        await unit.audit.add(entryOf({ id, time: { seconds: 100n } }));
      });
    const want = ["end", ...(await fill(store))];
    await remove("end");
    expect(await listAll(store)).toEqual(want);
    await organization.create(value);
    expect(await listAll(store)).toEqual([]);
    await store.audit.add(entryOf({ id: "new", time: { seconds: 1n } }));
    expect(await listAll(store)).toEqual(["new"]);
    await remove("end-2");
    expect(await listAll(store)).toEqual(["end-2", "new"]);
  });

  scenario("an organization that never was has no entries", EMPTY, async (store) => {
    const entry = entryOf({ id: "a", organizationId: "nothing" });
    await expect(store.audit.add(entry)).rejects.toMatchObject({ reason: "RESOURCE_NOT_FOUND" });
    expect(await list(store, { organizationId: "nothing" })).toEqual({ values: [] });
  });
}

type EntryInit = MessageInitShape<typeof EntrySchema>;

function entryOf(init: EntryInit) {
  return create(EntrySchema, { organizationId: "acme", ...init } as EntryInit);
}

function list(store: Store, query: Partial<AuditQuery> = {}) {
  const budget = createEndlessBudget();
  return store.audit.list({ organizationId: "acme", limit: 100, now: NOW, budget, ...query });
}

/** Adds entries in no order, one of another organization among them; returns the ids in order. */
async function fill(store: Store): Promise<string[]> {
  const entries: readonly EntryInit[] = [
    { id: "b", accountId: "ann", projectId: "alpha", time: { seconds: 1n } },
    { id: "a", accountId: "eve", projectId: "alpha", time: { seconds: 1n } },
    { id: "\u{1f600}", accountId: "ann", time: { seconds: 3n } },
    { id: "\uff61", accountId: "eve", time: { seconds: 2n, nanos: 1_000 } },
    { id: "A", accountId: "eve", time: { seconds: 2n } },
    { id: "c", accountId: "ann", time: { seconds: 4n }, updatedFields: ["name"] },
    { id: "a", organizationId: "other", accountId: "ann", time: { seconds: 9n } },
  ];
  for (const entry of entries) await store.audit.add(entryOf(entry));
  return ["c", "\u{1f600}", "\uff61", "A", "a", "b"];
}

/** Lists all ids, in pages of a size. */
function listAll(store: Store, query: Partial<AuditQuery> = {}, limit = 100): Promise<string[]> {
  return readAll<OrderPlace>(async (page) => {
    const { values, next } = await list(store, { ...query, ...page });
    return { ids: values.map(({ id }) => id), next };
  }, limit);
}
