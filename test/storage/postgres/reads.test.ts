import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { WorkBudget } from "../../../src/domain/base/work-budget.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { openPostgresStore } from "../../../src/storage/postgres/open.ts";
import { ENGINE } from "../../harness/engine.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createDatabase, dropDatabase } from "../../harness/postgres-databases.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";

async function open() {
  const { name, url } = await createDatabase("empty");
  onTestFinished(() => dropDatabase(name));
  const cancelled: unknown[] = [];
  class Client extends pg.Client {
    override query(...args: [never]) {
      const [{ text = "" }] = args as [{ text?: string }];
      if (text.includes("pg_cancel_backend")) cancelled.push(text);
      return super.query(...args);
    }
  }
  const store = await openPostgresStore(
    { engine: "postgres", url },
    { Client: Client as unknown as typeof pg.Client },
  );
  onTestFinished(store.close);
  await loadDataset(store, createSmallDataset());
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  // A transaction sees what connections do as it was when it asked first.
  const [other, watcher] = [await connect(), await connect()];
  /** Lists when the statements began that wait for a lock. */
  const listWaiting = async (): Promise<readonly string[]> => {
    const { rows } = await watcher.query(SELECT_WAITING);
    return rows.map(({ since }) => since);
  };
  return { store, other, listWaiting, cancelled };
}

/** Lists events by a filter that reads their leaves, for a caller who may hang up; it has read for so long before. */
function list(store: Store, signal?: AbortSignal, spent = 0, organizationId = ALPHA) {
  let time = 0;
  const budget = new WorkBudget({
    clock: () => time,
    pause: async () => {},
    organizationId,
    ...(signal && { signal }),
  });
  budget.count(() => {
    time += spent;
  });
  return store.events.list({
    ...{
      projectId: ALPHA,
      at: undefined,
      visibilities: [Visibility.PUBLISHED],
      words: [],
      limit: 1,
      budget,
    },
    ...{ order: { field: "id", direction: "asc" }, now: new Date(0) },
    filter: parseKql("not fields.none: 1"),
  });
}

/** How a list ends that has found its item; one that nobody waits for is settled, too, when its test fails. */
const ONE_ITEM = { status: "fulfilled", value: { entries: [expect.anything()] } };

const LOCK = "begin; lock table content_value in access exclusive mode";

/** Lists the annotations of a video in a snapshot. */
function listAnnotations(store: Store, projectId: string) {
  const visibilities = [Visibility.PUBLISHED];
  return store.annotations.list({ projectId, visibilities, videoId: "video-1", limit: 1 });
}

describe.runIf(ENGINE === "postgres")("a read on a shared connection", () => {
  test("is ended by the server when its caller hangs up, and those behind it go on", async () => {
    const { store, other, listWaiting, cancelled } = await open();
    await Promise.all(Array.from({ length: 4 }, () => list(store)));
    await other.query(LOCK);
    const aborts = Array.from({ length: 4 }, () => new AbortController());
    const abandoned = Promise.allSettled(aborts.map(({ signal }) => list(store, signal)));
    const others = Promise.allSettled(Array.from({ length: 4 }, () => list(store)));
    await expect.poll(listWaiting).toHaveLength(4);
    const before = await listWaiting();
    for (const abort of aborts) abort.abort();
    for (const it of await abandoned) {
      expect(it).toMatchObject({ status: "rejected", reason: { reason: "CALL_CANCELLED" } });
    }
    // Without it, they would end when they have waited too long for the lock.
    expect(cancelled).toHaveLength(4);
    // The next ones run in the place of those that were ended.
    await expect.poll(listWaiting).toHaveLength(4);
    expect((await listWaiting()).filter((it) => before.includes(it))).toEqual([]);
    await other.query("rollback");
    for (const it of await others) expect(it).toMatchObject(ONE_ITEM);
  });

  test("that has taken long takes turns with those of another organization, however many", async () => {
    const { store, other, listWaiting } = await open();
    await other.query(LOCK);
    const ended: string[] = [];
    const start = async (organizationId: string) => {
      await list(store, undefined, 10, organizationId);
      ended.push(organizationId);
    };
    const reads = Array.from({ length: 16 }, () => start("many"));
    await expect.poll(listWaiting).toHaveLength(2);
    reads.push(start("one"));
    await expect.poll(() => countQueued(store, "read")).toBe(15);
    await other.query("rollback");
    await Promise.all(reads);
    // Without turns, it would be the last one.
    expect(ended.indexOf("one")).toBeLessThan(8);
  });

  test("of a snapshot takes turns with those of another project, however many", async () => {
    const { store, other, listWaiting } = await open();
    await other.query("begin; lock table annotation in access exclusive mode");
    const ended: string[] = [];
    const start = async (projectId: string) => {
      await listAnnotations(store, projectId);
      ended.push(projectId);
    };
    const reads = Array.from({ length: 40 }, () => start(ALPHA));
    await expect.poll(listWaiting).toHaveLength(10);
    reads.push(start(BETA));
    await expect.poll(() => countQueued(store, "snapshot")).toBe(31);
    await other.query("rollback");
    await Promise.all(reads);
    expect(ended.indexOf(BETA)).toBeLessThan(20);
  });

  test("does not wait behind those that have taken long", async () => {
    const { store, other, listWaiting } = await open();
    await other.query(LOCK);
    const long = Promise.allSettled(Array.from({ length: 16 }, () => list(store, undefined, 10)));
    // They take half of the connections, and others the rest.
    await expect.poll(listWaiting).toHaveLength(2);
    const short = Array.from({ length: 8 }, () =>
      store.events.getMany({
        projectId: ALPHA,
        at: undefined,
        visibilities: [Visibility.PUBLISHED],
        ids: ["event-1"],
      }),
    );
    for (const items of await Promise.all(short)) expect(items).toHaveLength(1);
    expect(await listWaiting()).toHaveLength(2);
    await other.query("rollback");
    for (const it of await long) expect(it).toMatchObject(ONE_ITEM);
  });
});

/** Counts the reads that wait for a connection of a pool. */
function countQueued(store: Store, pool: string): number | undefined {
  return store.pools.find(({ name }) => name === pool)?.readState().waiting;
}

const SELECT_WAITING = `
  select query_start::text as since from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'
`;
