import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { ActionSchema } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import {
  type Change,
  ChangeSchema,
  ChangeVerb,
} from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { RecordSchema } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { isUndoable, KIND_NAMES } from "../../../src/domain/kinds.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { DocumentQuery } from "../../../src/storage/contract/document-store.ts";
import type { HistoryPlace, Retention } from "../../../src/storage/contract/history.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { revisionOf } from "../../harness/revision.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { CREATED, UPDATED } = ChangeVerb;
const DAY = 24 * 3_600;

/** Holds the history of projects. */
export function historyContract(scenario: Scenario): void {
  const data = createSmallDataset();
  scenario("changes are listed newest first, in pages of every size", data, async (store) => {
    for (const second of [1, 2, 2, 3]) await add(store, { second });
    await add(store, { second: 2, projectId: BETA });
    const want = ["c4", "c3", "c2", "c1"];
    for (const limit of [1, 2, 3, 4, 5]) expect(await listAll(store, {}, limit)).toEqual(want);
  });

  scenario("a filter sees the changed resources", data, async (store) => {
    await add(store, { second: 1, keys: ["event:a"] });
    await add(store, { second: 2, keys: ["event:a", "video:a"] });
    await add(store, { second: 3, keys: ["event:b"], accountId: "eve" });
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['resource: "event:a"', ["c2", "c1"]],
      ['resource: "video:a"', ["c2"]],
      ['resource: "video:a" and resource: "event:a"', ["c2"]],
      ['resource: "event:b" or account_id: ann', ["c3", "c2", "c1"]],
      ["account_id: eve", ["c3"]],
      ["account_id: ann", ["c2", "c1"]],
      ['account_id: ann and resource: "video:a"', ["c2"]],
      ["account_id: nobody", []],
      ['not resource: "event:a"', ["c3"]],
      ["resource: event*", ["c3", "c2", "c1"]],
      ['resource: "event:c"', []],
      ["resource: a", []],
    ];
    for (const [text, want] of cases) {
      for (const limit of [1, 100]) {
        expect([text, await listAll(store, { filter: parseKql(text) }, limit)]).toEqual([
          text,
          want,
        ]);
      }
    }
  });

  scenario("the state after a change is that before the next", data, async (store) => {
    await add(store, { second: 1, verb: CREATED });
    await add(store, { second: 2, title: "one", paths: ["title"] });
    await add(store, { second: 3, title: "two", paths: ["fields"] });
    const read = async (id: string) => {
      const { states } = await store.history.get(id, "acme");
      return states.map(({ before, after, isNewest }) => [
        titleOf(before),
        titleOf(after),
        isNewest,
      ]);
    };
    expect(await read("c1")).toEqual([[undefined, "one", false]]);
    expect(await read("c2")).toEqual([["one", "two", false]]);
    expect(await read("c3")).toEqual([["two", undefined, true]]);
    await expect(store.history.get("c1", "other")).rejects.toThrow("change c1");
    await expect(store.history.get("c9", "acme")).rejects.toThrow("change c9");
  });

  scenario(
    "a resource of any kind that is written without a change has a gap",
    data,
    async (store) => {
      const kinds = KIND_NAMES.filter(isUndoable);
      const action = create(ActionSchema, { id: "action-1", projectId: ALPHA });
      const webhook = create(WebhookSchema, { id: "webhook-1", projectId: ALPHA });
      const { documents } = store.in("acme");
      await documents.action.create(action, { secret: "whsec_1" });
      await documents.webhook.create(webhook, { secret: "whsec_2" });
      for (const kind of kinds)
        await add(store, { second: 1, revision: 0, keys: [`${kind}:${kind}-1`] });
      await add(store, { second: 1, revision: 0, keys: ["event:none", "event:event-1"] });
      const read = async () => {
        const ids = await listAll(store);
        const states = await Promise.all(ids.map((id) => store.history.get(id, "acme")));
        return states.flatMap((it) =>
          it.change.resources
            .filter((_, index) => it.states[index]?.isNewest)
            .map(({ key }) => key),
        );
      };
      const all = await read();
      const after = await revisionOf(store, ALPHA);
      await store.history.addGaps(ALPHA, { after, now: new Date(5_000) });
      expect(await read()).toEqual(all);
      await store.history.addGaps(ALPHA, { after: 0, now: new Date(5_000) });
      expect(await read()).toEqual(["event:none"]);
      expect(await listAll(store)).toHaveLength(kinds.length + 1);
    },
  );

  scenario(
    "an update joins the one before: same paths and account, within a minute",
    data,
    async (store) => {
      const score = { paths: ["score"] };
      await add(store, { ...score, second: 100, title: "first" });
      await add(store, { ...score, second: 159.999 });
      await add(store, { ...score, second: 160 });
      await add(store, { ...score, second: 161, accountId: "eve" });
      await add(store, { second: 162, paths: ["title"], accountId: "eve" });
      await add(store, { ...score, second: 163, accountId: "eve" });
      await add(store, { ...score, second: 164, accountId: "eve", keys: ["event:b", "event:a"] });
      await add(store, { ...score, second: 165, accountId: "eve" });
      // The clock is put back.
      await add(store, { ...score, second: 105.001, accountId: "eve" });
      await add(store, { ...score, second: 105, accountId: "eve" });
      expect(await listAll(store)).toEqual(["c10", "c8", "c7", "c6", "c5", "c4", "c3", "c1"]);
    },
  );

  scenario(
    "kept: what is young, and the newest 20 of each resource for longer",
    data,
    async (store) => {
      for (let index = 0; index < 25; index += 1) {
        await add(store, { second: index * DAY, keys: ["event:a"] });
        if (index === 3) await add(store, { second: 3.5 * DAY, keys: ["event:b"] });
      }
      const prune = async (any: number, newest: number) => {
        await pruneAll(store, { any: atDay(any), newest: atDay(newest), bytes: 1e9 });
        return (await listAll(store)).length;
      };
      expect(await prune(0, 0)).toBe(26);
      expect(await prune(4, 0)).toBe(22);
      expect(await prune(24, 0)).toBe(21);
      expect(await prune(24, 6)).toBe(19);
      expect(await listAll(store, { filter: parseKql('resource: "event:b"') })).toEqual([]);
      expect(await prune(30, 30)).toBe(0);
    },
  );

  scenario("kept: the newest changes of each project up to a size", data, async (store) => {
    const young = { any: atDay(0), newest: atDay(0) };
    for (const second of [1, 2, 3, 4]) await add(store, { second, title: "same" });
    await add(store, { second: 5, title: "same", projectId: BETA, keys: ["event:b"] });
    const { values } = await store.history.list(QUERY);
    const size =
      toBinary(RecordSchema, stateWith("same")).length +
      toBinary(ChangeSchema, values[0] ?? expect.fail()).length;
    await pruneAll(store, { ...young, bytes: 4 * size });
    expect(await listAll(store)).toEqual(["c4", "c3", "c2", "c1"]);
    await pruneAll(store, { ...young, bytes: 4 * size - 1 });
    expect(await listAll(store)).toEqual(["c4", "c3", "c2"]);
    await pruneAll(store, { ...young, bytes: size });
    expect(await listAll(store)).toEqual(["c4"]);
    expect(await listAll(store, { parentIds: [BETA] })).toEqual(["c5"]);
    await pruneAll(store, { ...young, bytes: size - 1 });
    expect(await listAll(store)).toEqual([]);
  });

  scenario("a history is trimmed to a size by its oldest changes", data, async (store) => {
    for (const second of [1, 2, 3, 4]) await add(store, { second, title: "same" });
    await add(store, { second: 5, title: "same", projectId: BETA, keys: ["event:b"] });
    const { values } = await store.history.list(QUERY);
    const size =
      toBinary(RecordSchema, stateWith("same")).length +
      toBinary(ChangeSchema, values[0] ?? expect.fail()).length;
    await store.history.trim(ALPHA, 4 * size);
    expect(await listAll(store)).toEqual(["c4", "c3", "c2", "c1"]);
    await store.history.trim(ALPHA, 4 * size - 1);
    expect(await listAll(store)).toEqual(["c4", "c3", "c2"]);
    await store.history.trim(ALPHA, size);
    expect(await listAll(store)).toEqual(["c4"]);
    await store.history.trim(ALPHA, 0);
    expect(await listAll(store)).toEqual([]);
    expect(await listAll(store, { parentIds: [BETA] })).toEqual(["c5"]);
  });

  scenario("a history is trimmed by 500 changes at a time", data, async (store) => {
    await add(store, { second: 1, keys: Array.from({ length: 501 }, (_, at) => `event:e${at}`) });
    await add(store, { second: 2, title: "last" });
    const count = async () =>
      (await store.history.get("c2", "acme").catch(() => undefined)) === undefined ? 0 : 1;
    await store.history.trim(ALPHA, 0);
    expect(await count()).toBe(1);
    await store.history.trim(ALPHA, 0);
    expect(await count()).toBe(0);
  });
}

const atDay = (day: number) => new Date(day * DAY * 1_000);

/** Deletes what is not kept, a few changes at a time. */
async function pruneAll(store: Store, kept: Retention): Promise<void> {
  let examined: HistoryPlace | undefined;
  do examined = await store.history.prune(kept, examined, 3);
  while (examined !== undefined);
}

let number = 0;

interface Added {
  readonly second: number;
  readonly projectId?: string;
  readonly accountId?: string;
  readonly keys?: readonly string[];
  readonly verb?: ChangeVerb;
  readonly paths?: readonly string[];
  readonly title?: string;
  readonly revision?: number;
}

/** Records a change with the next id of `c1`, `c2` …, under the next revision, if not another. */
async function add(
  store: Store,
  {
    second,
    projectId = ALPHA,
    accountId = "ann",
    keys = ["event:a"],
    verb = UPDATED,
    paths = [],
    title,
    revision,
  }: Added,
): Promise<void> {
  const all = await store.history.list({ ...QUERY, parentIds: [ALPHA, BETA], limit: 1_000 });
  number = all.values.length === 0 ? 1 : number + 1;
  const change = create(ChangeSchema, {
    ...{ id: `c${number}`, projectId, accountId, time: toTime(second) },
    resources: keys.map((key) => ({ key, verb, paths: [...paths] })),
  });
  const before = title === undefined ? undefined : stateWith(title);
  await store.history.add({
    organizationId: "acme",
    revision: revision ?? number,
    part: revision === undefined ? 0 : 10 * number,
    joinedBy: keys.length === 1 ? paths.join() : "",
    change,
    before: keys.map(() => before),
  });
}

function stateWith(title: string) {
  return create(RecordSchema, {
    resource: { case: "event", value: { id: "a", title: { en: title } } },
  });
}

function toTime(second: number): MessageInitShape<typeof ChangeSchema>["time"] {
  const whole = Math.floor(second);
  return { seconds: BigInt(whole), nanos: Math.round((second - whole) * 1_000) * 1_000_000 };
}

function titleOf(record: Change["resources"][number]["before"]): string | undefined {
  return record?.resource.case === "event" ? record.resource.value.title.en : undefined;
}

const QUERY: DocumentQuery = {
  parentIds: [ALPHA],
  order: { field: "revision", direction: "desc" },
  limit: 100,
  now: new Date(0),
};

async function listAll(store: Store, query: Partial<DocumentQuery> = {}, limit = 100) {
  const ids: string[] = [];
  let after: DocumentQuery["after"];
  do {
    const page = await store.history.list({ ...QUERY, ...query, limit, ...(after && { after }) });
    ids.push(...page.values.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  return ids;
}
