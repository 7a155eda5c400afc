import { create, toBinary } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { ProjectQuotasSchema } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { RecordSchema } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { ReleaseSchema, ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { wrapRecord } from "../../../src/domain/records/record.ts";
import { RELEASE_LIMITS } from "../../../src/domain/releases/release.ts";
import type {
  DraftSelection,
  PassedOver,
  ReleaseDraft,
} from "../../../src/storage/contract/releases.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { DraftMemory } from "../../../src/storage/releases/draft-memory.ts";
import { ReleaseStates } from "../../../src/storage/releases/release-states.ts";
import { createListBudget } from "../../../src/storage/sql/base/list-budget.ts";
import { override } from "../../harness/override.ts";
import { rejection } from "../../harness/rejection.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { OPEN, SCHEDULED, APPLIED } = ReleaseState;

/** Tests the drafts of releases. */
export function releaseItemContract(scenario: Scenario): void {
  const data = createSmallDataset();

  scenario("a draft is kept as it is written, and the last one counts", data, async (store) => {
    await addRelease(store, "r");
    const page = { kind: "page", message: create(PageSchema, { id: "p" }), line: 0 } as const;
    const written: ReleaseDraft[] = [
      { ...draftOf("r", "b"), isForced: true },
      { ...draftOf("r", "a", "old"), base: eventOf("a", "base") },
      { ...draftOf("r", "p"), kind: "page", draft: { ...page, componentIds: ["x", "y"] } },
    ];
    for (const item of written) await store.releaseItems.put(item);
    const { draft: _, ...deletion } = draftOf("r", "b");
    await store.releaseItems.put(deletion);
    const again = { ...draftOf("r", "a", "new"), accountId: "eve", updateTime: new Date(5_000) };
    await store.releaseItems.put(again);
    // Each write has another time.
    const drafts = [
      again,
      ...[deletion, written[2]].map((it, at) => ({ ...it, updateTime: new Date(4 - at) })),
    ];
    const list = (among: DraftSelection) => store.releaseItems.list(RELEASE, among);
    expect(await list({})).toEqual(drafts);
    expect(await list({ kind: "page" })).toEqual([drafts[2]]);
    expect(await list({ kind: "event", ids: ["b", "c"] })).toEqual([drafts[1]]);
    expect(await list({ kind: "event", ids: [] })).toEqual([]);
    expect(await list({ limit: 2 })).toEqual(drafts.slice(0, 2));
    expect(await list({ after: { kind: "event", id: "a" }, limit: 1 })).toEqual([drafts[1]]);
    expect(await list({ after: { kind: "event", id: "b" } })).toEqual([drafts[2]]);
    const count = async (organization: string, ids: readonly string[]) =>
      (await store.releaseItems.listVersions(organization, ids)).map(({ items }) => items);
    expect(await count("acme", ["r", "none"])).toEqual([3]);
    await store.releaseItems.remove(draftOf("r", "b"));
    await store.releaseItems.remove(draftOf("r", "c"));
    expect(await count("acme", ["r", "none"])).toEqual([2]);
    expect(await count("other", ["r"])).toEqual([]);
    expect(await count("acme", [])).toEqual([]);
    await store.in("acme").documents.release.delete("r", () => undefined);
    expect(await store.releaseItems.list(RELEASE)).toEqual([]);
  });

  scenario("the drafts of the components that are or may be on a page", data, async (store) => {
    await addRelease(store, "r");
    const put = (id: string, pageId?: string) => {
      const { draft: _, ...deletion } = { ...draftOf("r", id), kind: "page_component" } as const;
      if (pageId === undefined) return store.releaseItems.put(deletion);
      const message = create(PageComponentSchema, { id });
      const draft = { kind: "page_component", message, line: 0, pageId } as const;
      return store.releaseItems.put({ ...deletion, draft });
    };
    await put("deleted");
    await put("kept", "q");
    await put("added", "p");
    await put("elsewhere", "q");
    const list = async (currentIds: readonly string[]) => {
      const among = { kind: "page_component", page: { id: "p", currentIds } } as const;
      return (await store.releaseItems.list(RELEASE, among)).map(({ id }) => id);
    };
    expect(await list(["kept", "none"])).toEqual(["added", "deleted", "kept"]);
    expect(await list([])).toEqual(["added", "deleted"]);
    const revisions = await store.releaseItems.listRevisions({
      ...{ organizationId: "acme", releaseIds: ["r"], kind: "page_component" },
    });
    expect(new Map(revisions.map((it) => [it.id, it.draftPageId]))).toEqual(
      new Map(Object.entries({ added: "p", deleted: undefined, elsewhere: "q", kept: "q" })),
    );
  });

  scenario(
    "all drafts are read in steps of 1 MiB, compared with the current version",
    data,
    async (store) => {
      await addRelease(store, "r");
      const { revision } = await store.in("acme").documents.event.create(eventOf("b").message);
      const long = "x".repeat(600_000);
      const drafts: readonly [id: string, title: string, baseRevision: number | undefined][] = [
        ["a", long, 0],
        ["b", long, revision],
        ["c", "", undefined],
        ["d", "", revision],
        ["e", `${long}${long}`, 0],
        ["f", "", 0],
      ];
      for (const [id, title, baseRevision] of drafts) {
        const known = baseRevision !== undefined && { baseRevision };
        await store.releaseItems.put({ ...draftOf("r", id, title), ...known });
      }
      const steps: string[][] = [];
      for await (const step of store.releaseItems.readAll(RELEASE)) {
        steps.push(step.map(({ id, isOnCurrent }) => (isOnCurrent ? id : `${id} changed`)));
      }
      expect(steps).toEqual([["a"], ["b", "c changed", "d changed"], ["e"], ["f"]]);
    },
  );

  scenario("a release has 16 MiB of drafts at most", data, async (store) => {
    await addRelease(store, "r");
    const part = RELEASE_LIMITS.bytes / 4;
    const others = [1, 2, 3].map((at) => draftOf("r", `e${at}`, "x".repeat(part)));
    for (const item of others) await store.releaseItems.put(item);
    const left = RELEASE_LIMITS.bytes - others.reduce((sum, it) => sum + sizeOf(it), 0);
    // The lengths of long texts all take four bytes.
    const rest = left - (sizeOf(draftOf("r", "last", "x".repeat(part / 2))) - part / 2);
    const last = draftOf("r", "last", "x".repeat(rest));
    expect(sizeOf(last)).toBe(left);
    await store.releaseItems.put(last);
    const tooLong = draftOf("r", "last", "x".repeat(rest + 1));
    await expect(store.releaseItems.put(tooLong)).rejects.toEqual(EXHAUSTED("RELEASE_ITEM_LIMIT"));
    const [kept] = await store.releaseItems.list(RELEASE, { kind: "event", ids: ["last"] });
    expect(kept?.draft).toEqual(last.draft);
  });

  scenario("drafts count in the quota of bytes", data, async (store) => {
    const { project, release } = store.in("acme").documents;
    const usage = async () => Number((await project.get(ALPHA)).value.usage?.bytes ?? 0n);
    const before = await usage();
    await addRelease(store, "r");
    const draft = draftOf("r", "a", "x".repeat(1_000));
    const size = sizeOf(draft);
    await store.releaseItems.put(draft);
    await store.releaseItems.put(draft);
    expect(await usage()).toBe(before + size);
    const limit = (bytes: number) =>
      project.update(ALPHA, ({ value }) => ({
        ...value,
        quotas: create(ProjectQuotasSchema, { bytes: BigInt(bytes) }),
      }));
    await limit(before + 2 * size);
    const another = draftOf("r", "b", "x".repeat(1_000));
    await store.releaseItems.put(another);
    const larger = draftOf("r", "b", "x".repeat(1_001));
    await expect(store.releaseItems.put(larger)).rejects.toEqual(EXHAUSTED("QUOTA_EXCEEDED"));
    expect(await usage()).toBe(before + 2 * size);
    await limit(1);
    await store.releaseItems.put(another);
    await store.releaseItems.remove(another);
    expect(await usage()).toBe(before + size);
    await release.delete("r", () => undefined);
    expect(await usage()).toBe(before);
  });

  scenario(
    "the revisions of drafts and of the current version, without the drafts",
    data,
    async (store) => {
      const { event } = store.in("acme").documents;
      await addRelease(store, "r");
      const { revision } = await event.create(eventOf("a", "live").message);
      await event.create({ ...eventOf("b").message, projectId: BETA });
      const base = eventOf("a", "live");
      await store.releaseItems.put({ ...draftOf("r", "a", "A"), base, baseRevision: revision });
      await store.releaseItems.put({ ...draftOf("r", "b", "B"), baseRevision: 0 });
      await store.releaseItems.put(draftOf("r", "c", "C"));
      const read = async () =>
        (await store.releaseItems.listRevisions({ organizationId: "acme", releaseIds: ["r"] }))
          .map((it) => [it.id, it.baseRevision, it.currentRevision])
          .sort();
      expect(await read()).toEqual([
        ["a", revision, revision],
        ["b", 0, 0],
        ["c", null, 0],
      ]);
      const change = { ...base.message, title: { en: "new" } };
      const { revision: next } = await event.update("a", () => change);
      expect((await read())[0]).toEqual(["a", revision, next]);
    },
  );

  scenario("releases that are read again merge only what has changed", data, async (store) => {
    const ids = ["a", "b", "c", "d"];
    const { event } = store.in("acme").documents;
    for (const id of ["a", "b"]) await event.create(eventOf(id, "live").message);
    for (const id of ["r", "s"]) await addRelease(store, id);
    const write = (releaseId: string, id: string, title?: string) =>
      store.releaseItems.put({ ...draftOf(releaseId, id, title), base: eventOf(id, "live") });
    const steps: readonly (() => Promise<unknown>)[] = [
      ...ids.map((id) => () => write("r", id, "first")),
      () => write("s", "a", "second"),
      () => write("r", "a", "again"),
      () => event.update("b", ({ value }) => ({ ...value, contentType: "new" })),
      () => event.delete("a", () => undefined),
      () => event.create(eventOf("c", "live").message),
      () => store.releaseItems.remove(draftOf("r", "a")),
      () => store.releaseItems.remove(draftOf("s", "a")),
      () => store.releaseItems.put({ ...draftOf("s", "d", "last"), updateTime: new Date(9_000) }),
      // As an import does; the draft of the same resource and time has the same size.
      async () => {
        await store.releaseItems.clear({ organizationId: "acme", id: "s", projectId: ALPHA });
        await store.releaseItems.put({ ...draftOf("s", "d", "next"), updateTime: new Date(9_000) });
      },
      async () => {
        await store.releaseItems.remove(draftOf("s", "d"));
        await store.releaseItems.put({ ...draftOf("s", "c", "late"), updateTime: new Date(8_000) });
      },
    ];
    const memory = new DraftMemory();
    const merged: (readonly string[])[] = [];
    for (const step of steps) {
      await step();
      const got = await readThrough(store, ["r", "s"], memory);
      expect(got.states).toEqual((await readThrough(store, ["r", "s"])).states);
      merged.push(got.read);
    }
    const after = [["a"], ["a"], ["b"], ["a"], ["c"], ["a"], [], ["d"], ["d"], ["c"]];
    expect(merged).toEqual([...ids.map((id) => [id]), ...after]);
    expect((await readThrough(store, ["s", "r"], memory)).read).toEqual(["c"]);
    expect((await readThrough(store, ["s", "r"], memory, ["b"])).read).toEqual([]);
  });

  scenario("two reads at once merge a draft once", data, async (store) => {
    const ids = Array.from({ length: 25 }, (_, index) => `e${10 + index}`);
    await addRelease(store, "r");
    for (const id of ids) await store.releaseItems.put(draftOf("r", id));
    const memory = new DraftMemory();
    const reads = await Promise.all([1, 2].map(() => readThrough(store, ["r"], memory)));
    expect(reads.flatMap(({ read }) => read).sort()).toEqual(ids);
    expect(reads.map(({ states }) => states.size)).toEqual([25, 25]);
  });

  scenario("a draft that is written at each read is merged as it is read", data, async (store) => {
    const { event } = store.in("acme").documents;
    for (const id of ["r", "s"]) await addRelease(store, id);
    await event.create(eventOf("a", "live").message);
    await store.releaseItems.put(draftOf("s", "a", "second"));
    const memory = new DraftMemory();
    let writes = 0;
    const write = async () => {
      writes += 1;
      if (writes > 10) throw new Error("it is read without end");
      const draft = { ...draftOf("r", "a", `${writes}`), base: eventOf("a", "live") };
      await store.releaseItems.put(draft);
      await event.update("a", ({ value }) => ({ ...value, contentType: `${writes}` }));
    };
    await write();
    const { states } = await readThrough(store, ["r"], memory, ["a"], write);
    const number = String(writes);
    const message = { title: { en: number }, contentType: number };
    expect(states.get("a")).toMatchObject({ message });
    expect(memory.bytes).toBe(0);

    // Each pass reads the drafts of both releases.
    const steps = [write, async () => {}, () => store.releaseItems.remove(draftOf("r", "a"))];
    const removeLast = async () => steps.shift()?.();
    const removed = await readThrough(store, ["r", "s"], memory, ["a"], removeLast);
    expect(removed.states.get("a")).toMatchObject({ message: { title: { en: "second" } } });
  });

  scenario("merged drafts take a bounded memory, and are read by id alone", data, async (store) => {
    const ids = ["a", "b", "c", "d", "e"];
    await addRelease(store, "r");
    for (const id of ids) await store.releaseItems.put(draftOf("r", id, "x".repeat(1_000)));
    const one = new DraftMemory();
    expect((await readThrough(store, ["r"], one, ["c"])).read).toEqual(["c"]);
    // A decoded draft takes far more than its stored bytes.
    expect(one.bytes).toBeGreaterThan(10_000);
    const two = new DraftMemory(2.5 * one.bytes);
    expect((await readThrough(store, ["r"], two)).states.size).toBe(5);
    expect(two.bytes).toBe(2 * one.bytes);
  });

  scenario("a project has 1,000 releases at most that are not applied", data, async (store) => {
    await store.transaction({ projectIds: [ALPHA] }, async (unit) => {
      for (let index = 0; index < RELEASE_LIMITS.open; index += 1) {
        await addRelease(unit, `r${index}`);
      }
    });
    await addRelease(store, "applied", { state: APPLIED });
    await addRelease(store, "elsewhere", { projectId: BETA });
    await expect(addRelease(store, "more")).rejects.toEqual(EXHAUSTED("RELEASE_LIMIT"));
    await store.in("acme").documents.release.update("r0", ({ value }) => ({ ...value, name: "n" }));
    await store.in("acme").documents.release.delete("r0", () => undefined);
    await addRelease(store, "more");
  });

  scenario("pending releases are those with a draft that are not applied", data, async (store) => {
    await addRelease(store, "late", { state: SCHEDULED, second: 20 });
    await addRelease(store, "soon", { state: SCHEDULED, second: 10 });
    await addRelease(store, "open");
    await addRelease(store, "done", { state: APPLIED, second: 5 });
    for (const id of ["late", "soon", "open", "done"]) {
      await store.releaseItems.put(draftOf(id, "a"));
    }
    await store.releaseItems.put(draftOf("open", "b"));
    const listPending = async (id: string, among?: readonly string[], limit = 9) => {
      const place = { organizationId: "acme", kind: "event", id } as const;
      const { releases, total } = await store.releaseItems.listPending(place, { limit, among });
      return [total, ...releases.map((it) => [it.id, it.applyTime?.getTime()].join(" "))];
    };
    expect(await listPending("a")).toEqual([3, "soon 10000", "late 20000", "open "]);
    expect(await listPending("a", undefined, 2)).toEqual([3, "soon 10000", "late 20000"]);
    expect(await listPending("a", ["open", "late", "done", "none"])).toEqual([
      ...[2, "late 20000", "open "],
    ]);
    expect(await listPending("a", [])).toEqual([0]);
    expect(await listPending("b")).toEqual([1, "open "]);
    expect(await listPending("c")).toEqual([0]);
    const elsewhere = { organizationId: "other", kind: "event", id: "a" } as const;
    expect((await store.releaseItems.listPending(elsewhere, { limit: 9 })).total).toBe(0);
  });

  scenario("due releases are scheduled ones by time and id", data, async (store) => {
    await addRelease(store, "b", { state: SCHEDULED, second: 10 });
    await addRelease(store, "a", { state: SCHEDULED, second: 10 });
    await addRelease(store, "first", { state: SCHEDULED, second: 9, projectId: BETA });
    await addRelease(store, "later", { state: SCHEDULED, second: 11 });
    await addRelease(store, "applied", { state: APPLIED, second: 1 });
    const { releaseItems } = store;
    const timeOf = (second: number) => new Date(second * 1_000);
    const none = { organizations: [], projects: [], releases: [] };
    const findDue = async (second: number, without: Partial<PassedOver> = {}) =>
      (await releaseItems.findDue(timeOf(second), { ...none, ...without }))?.release.id;
    /** Finds those that are due, each without the ones before. */
    const findAll = async (second: number) => {
      const found: string[] = [];
      for (;;) {
        const releases = found.map((id) => ({ organizationId: "acme", id }));
        const id = await findDue(second, { releases });
        if (id === undefined) return found;
        found.push(id);
      }
    };
    expect(await findAll(8)).toEqual([]);
    expect(await findAll(10)).toEqual(["first", "a", "b"]);
    expect(await releaseItems.listDueIds(timeOf(10), ALPHA)).toEqual(["a", "b"]);
    expect(await releaseItems.listDueIds(timeOf(11), ALPHA)).toEqual(["a", "b", "later"]);
    expect(await findDue(11, { organizations: ["acme"] })).toBeUndefined();
    expect(await findDue(11, { projects: [ALPHA] })).toBe("first");
    const many = Array.from({ length: 1_100 }, (_, number) => `waits-${number}`);
    const releases = ["first", "a", ...many].map((id) => ({ organizationId: "acme", id }));
    releases.push({ organizationId: "other", id: "b" });
    expect(await findDue(11, { releases })).toBe("b");
  });
}

const EXHAUSTED = (reason: string) =>
  rejection(reason, undefined, { code: Code.RESOURCE_EXHAUSTED });

const RELEASE = { organizationId: "acme", releaseId: "r" };

function addRelease(
  store: Store,
  id: string,
  { state = OPEN, second, projectId = ALPHA }: AddedRelease = {},
) {
  const applyTime = second === undefined ? undefined : { seconds: BigInt(second) };
  const release = { id, projectId, name: id, state, ...(applyTime && { applyTime }) };
  return store.in("acme").documents.release.create(create(ReleaseSchema, release));
}

interface AddedRelease {
  readonly state?: ReleaseState;
  readonly second?: number;
  readonly projectId?: string;
}

function eventOf(id: string, title = "") {
  const message = create(EventSchema, { id, projectId: ALPHA, title: { en: title } });
  return { kind: "event", message, line: 0 } as const;
}

/** Reads the events of releases, of all or some ids: their states by id, and the ids whose drafts were read. */
async function readThrough(
  store: Store,
  releaseIds: readonly string[],
  memory = new DraftMemory(),
  ids?: readonly string[],
  onRead: () => Promise<unknown> = async () => {},
) {
  const read = new Set<string>();
  const states = new ReleaseStates({
    organization: store.in("acme"),
    projectId: ALPHA,
    releaseIds,
    items: override(store.releaseItems, {
      async list(release, selection) {
        for (const id of selection?.ids ?? []) read.add(id);
        await onRead();
        return store.releaseItems.list(release, selection);
      },
    }),
    memory,
    budget: createListBudget(),
  });
  const merged = states.merge((await states.find("event", ids)).values());
  const byId = new Map<string, unknown>();
  for await (const { id, state } of merged) byId.set(id, state);
  return { states: byId, read: [...read].sort() };
}

function draftOf(releaseId: string, id: string, title?: string): ReleaseDraft {
  return {
    ...{ organizationId: "acme", releaseId, kind: "event", id, projectId: ALPHA },
    ...{ draft: eventOf(id, title), isForced: false, accountId: "ann", updateTime: new Date(0) },
  };
}

/** Returns the stored bytes of a creation. */
function sizeOf({ draft }: ReleaseDraft): number {
  return draft === undefined ? 0 : toBinary(RecordSchema, wrapRecord(draft)).length;
}
