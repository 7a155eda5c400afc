import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ReleaseSchema, ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { createToken, hashToken } from "../../../src/auth/token.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import type { DeliveryReads, Store } from "../../../src/storage/contract/store.ts";
import { openPostgresStore } from "../../../src/storage/postgres/open.ts";
import { getUrl } from "../../harness/calls.ts";
import { captureLog } from "../../harness/captured-log.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { ENGINE } from "../../harness/engine.ts";
import { send } from "../../harness/http.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { startOver } from "../../harness/marquee.ts";
import { queryDatabase } from "../../harness/postgres-databases.ts";
import {
  type PostgresServer,
  startPostgres,
  toDatabaseUrl,
} from "../../harness/postgres-server.ts";
import { type Standby, startStandby } from "../../harness/postgres-standby.ts";
import { keepProjectKey } from "../project-key.ts";
import { ALPHA, createEvent, createSmallDataset, IN_ALPHA } from "../small-dataset.ts";

let primary: PostgresServer;
let standby: Standby;

beforeAll(async () => {
  if (ENGINE !== "postgres") return;
  primary = await startPostgres();
  const store = await openPostgresStore(addressOf(primary));
  await loadDataset(store, createSmallDataset({ events: [createEvent("event-1", { title })] }));
  await store.close();
  standby = await startStandby(primary);
  await standby.catchUp();
});
afterAll(async () => {
  await standby?.kill();
  await primary?.stop();
});

const title = { en: "both" };

const addressOf = ({ socketFolder }: Pick<PostgresServer, "socketFolder">) =>
  ({ engine: "postgres", url: toDatabaseUrl(socketFolder, "postgres") }) as const;

async function open(replicas: readonly string[] = [addressOf(standby).url]) {
  const { log, lines } = captureLog("warn");
  const store = await openPostgresStore(addressOf(primary), {
    replicas: replicas.map((url) => ({ engine: "postgres", url })),
    log,
  });
  onTestFinished(store.close);
  if (store.delivery === undefined) throw new Error("the store reads no replica");
  const reports = () => lines.map(({ msg }) => msg);
  return { store, delivery: store.delivery, lines, reports };
}

const VISIBLE = { projectId: ALPHA, at: undefined, visibilities: [Visibility.PUBLISHED] };

async function readTitle(reads: DeliveryReads): Promise<string | undefined> {
  return JSON.parse((await reads.events.get({ ...VISIBLE, id: "event-1" })).json).title.en;
}

/** Changes an event as any write does. */
async function rename(store: Store, to: string): Promise<void> {
  await store
    .in("acme")
    .documents.event.update("event-1", ({ value }) => ({ ...value, title: { en: to } }));
}

/** Changes an event without a new revision of its project, so that responses show which server they are from. */
async function rewrite(to: string): Promise<void> {
  const statement = 'update content set doc = regexp_replace(doc, \'"en": ?"[^"]*"\', $1)';
  await queryDatabase(addressOf(primary).url, statement, [`"en":"${to}"`]);
}

const pause = () => standby.run("select pg_wal_replay_pause()");
async function resume(): Promise<void> {
  await standby.run("select pg_wal_replay_resume()");
  await standby.catchUp();
}

async function startProxy(): Promise<DatabaseProxy> {
  const proxy = await startDatabaseProxy(addressOf(standby).url);
  onTestFinished(async () => proxy.close());
  return proxy;
}

const stateOf = async (store: Store) => (await store.readiness()).replica;
const untilState = (store: Store, want: string) =>
  expect.poll(() => stateOf(store), { interval: 20 }).toBe(want);

describe.runIf(ENGINE === "postgres")("replicas", () => {
  test("serve every read of the Delivery API like the primary", async () => {
    const { store, delivery } = await open();
    expect(await stateOf(store)).toBe("used");
    const all = {
      ...VISIBLE,
      at: undefined,
      visibilities: [Visibility.UNSPECIFIED, Visibility.PUBLISHED],
    };
    const componentVisibilities = all.visibilities;
    const list = { ...all, words: [], limit: 2, now: new Date(0) };
    const byId = { field: "id", direction: "asc" } as const;
    const page = { ...all, componentVisibilities };
    const reads = (from: DeliveryReads) =>
      Promise.all([
        from.annotations.list({ ...all, videoId: "", eventId: "event-1", limit: 9 }),
        from.visibleDocuments.getMany("banner_collection", {
          ...all,
          ids: ["banner_collection-1"],
        }),
        from.creativeWorks.getMany({ ...all, ids: ["creative_work-1"] }),
        from.entities.list({ ...list, order: byId }),
        from.events.list({ ...list, order: byId }),
        from.visibleDocuments.getMany("offer", { ...all, ids: ["offer-1"] }),
        from.visibleDocuments.list("offer", { ...all, limit: 9 }),
        from.offers.listOpening({ ...all, videoId: "video-1", limit: 9 }),
        from.pages.get({ ...page, slug: "home" }),
        from.pages.getComponents({ ...page, ids: ["page_component-2"] }),
        from.pages.list({ ...all, limit: 9 }),
      ]);
    const got = await reads(delivery);
    expect(got[8].components).toHaveLength(3);
    expect(got).toEqual(await reads(store));
    await expect(delivery.events.get({ ...VISIBLE, id: "none" })).rejects.toMatchObject({
      code: Code.NOT_FOUND,
    });
  });

  test("serve while they have the known revision; where they are behind, the primary does", async () => {
    const { store, delivery } = await open();
    const other = await openPostgresStore(addressOf(primary));
    onTestFinished(other.close);
    await pause();
    await rewrite("primary");
    expect(await readTitle(store)).toBe("primary");
    expect(await readTitle(delivery)).toBe("both");

    await rename(store, "own");
    expect(await readTitle(delivery)).toBe("own");
    await rename(other, "other's");
    await store.catchUp();
    expect(store.knownRevision(ALPHA)).toBe(other.knownRevision(ALPHA));
    expect(await readTitle(delivery)).toBe("other's");
    // Another project has not changed.
    const beta = { ...VISIBLE, projectId: "beta", ids: ["offer-1"] };
    expect(await delivery.visibleDocuments.getMany("offer", beta)).toEqual([]);
    await untilState(store, "behind");

    await resume();
    await untilState(store, "used");
    await pause();
    await rewrite("primary");
    expect(await readTitle(delivery)).toBe("other's");
    await resume();
  });

  test("are not asked for drafts: a preview shows them at once, and no other read gets its response", async () => {
    const { store } = await open();
    const other = await openPostgresStore(addressOf(primary));
    onTestFinished(other.close);
    const keys = { public: createToken("public"), preview: createToken("preview") };
    for (const kind of ["public", "preview"] as const) {
      await keepProjectKey(store, ALPHA, kind, hashToken(keys[kind]));
    }
    const release = { id: "r", projectId: ALPHA, name: "r", state: ReleaseState.OPEN };
    await store.in("acme").documents.release.create(create(ReleaseSchema, release));
    await rename(store, "both");
    await standby.catchUp();
    const server = await startOver(store, { limits: { cacheMib: 8 }, runsActions: false });
    onTestFinished(() => server.close(1_000));
    const path = getUrl("svc.cda.cms.event.v1.EventService/GetEvent", { id: "event-1" });
    const get = async (token: string, releaseId = "", more = {}) => {
      const headers = { ...more, ...(releaseId && { "x-release-id": releaseId }) };
      const got = await send("GET", `${server.deliveryUrl}/${path}`, { token, headers });
      expect([got.status, got.text]).toEqual([200, expect.anything()]);
      return got.json.event.title;
    };
    /** Writes a draft as another process does. */
    const draft = async (releaseId: string, to: string) => {
      const { value } = await other.in("acme").documents.event.get("event-1");
      const place = { ...IN_ALPHA, releaseId, kind: "event", id: "event-1" } as const;
      const message = { ...value, title: { ...value.title, de: to } };
      await other.releaseItems.put({
        ...{ ...place, isForced: false, accountId: "ann", updateTime: new Date() },
        base: { kind: "event", message: value, line: 0 },
        draft: { kind: "event", message, line: 0 },
      });
    };

    await pause();
    await rewrite("primary");
    for (const de of ["one", "two"]) {
      await draft("r", de);
      expect(await get(keys.preview, "r")).toEqual({ en: "primary", de });
      expect(await get(keys.public, "r")).toEqual({ en: "both" });
      expect(await get(keys.preview)).toEqual({ en: "both" });
    }
    // A write of another process, by its token.
    await rename(other, "other's");
    const token = { "x-consistency-token": `${ALPHA}:${other.knownRevision(ALPHA)}` };
    expect(await get(keys.preview, "r", token)).toEqual({ en: "other's", de: "two" });
    expect(await get(keys.public, "r", token)).toEqual({ en: "other's" });
    expect(await get(keys.preview)).toEqual({ en: "other's" });
    await resume();
    await untilState(store, "used");
    expect(await get(keys.preview, "r")).toEqual({ en: "other's", de: "two" });
    expect(await get(keys.public)).toEqual({ en: "other's" });
    await rename(store, "other's");
    await rewrite("both");
    await standby.catchUp();
  });

  test("are reported once when they fall behind, are used again and are left alone, with their lag", async () => {
    const { store, lines, reports } = await open();
    const lagOf = () => store.listReplicas?.()[0]?.lagSeconds ?? Number.NaN;
    expect(store.listReplicas?.()).toEqual([
      { name: `${standby.socketFolder}:5432`, state: "used", lagSeconds: 0 },
    ]);
    await pause();
    await rename(store, "late");
    await untilState(store, "behind");
    await expect.poll(lagOf).toBeGreaterThan(5);
    await expect.poll(reports).toEqual(["replica is behind"]);
    expect(lines[0]).toMatchObject({ replica: `${standby.socketFolder}:5432` });
    // Not the age of the last transaction, which is that of the test's begin.
    expect(lagOf()).toBeLessThan(60);
    await resume();
    await untilState(store, "used");
    expect([lagOf(), reports()]).toEqual([0, ["replica is behind", "replica is used again"]]);
    await standby.kill();
    await expect.poll(reports).toContain("replica is taken out of use");
    await expect.poll(lagOf).toBeGreaterThan(2);
    await standby.start();
    await untilState(store, "used");
    expect(reports()).toEqual([
      "replica is behind",
      "replica is used again",
      "replica is taken out of use",
      "replica is used again",
    ]);
  });

  test("are found behind by a project that they do not have yet, and never serve it", async () => {
    const { store, delivery } = await open();
    await pause();
    await store.in("acme").documents.project.create({
      ...(await store.in("acme").documents.project.get("beta")).value,
      id: "new",
    });
    const key = { ...VISIBLE, projectId: "new", limit: 1 };
    expect(await delivery.pages.list(key)).toEqual({ values: [] });
    await resume();
  });

  test("that hang delay a read by a second at most, and the next ones not at all", async () => {
    const proxy = await startProxy();
    const { store, delivery } = await open([proxy.url]);
    await rename(store, "hanging");
    await standby.catchUp();
    expect(await readTitle(delivery)).toBe("hanging");
    const closed = await open([proxy.url]);
    proxy.swallow();
    const start = performance.now();
    await closed.store.close();
    await Promise.all(Array.from({ length: 20 }, () => readTitle(delivery)));
    expect(performance.now() - start).toBeLessThan(2_500);
    expect(await stateOf(store)).toBe("unavailable");
    const next = performance.now();
    expect(await readTitle(delivery)).toBe("hanging");
    expect(performance.now() - next).toBeLessThan(900);
    proxy.pass();
    await untilState(store, "used");
  });

  test("stay in use while more reads wait for their connections than get one in time", async () => {
    const distant = await startDatabaseProxy(addressOf(standby).url, 50);
    onTestFinished(async () => distant.close());
    const { store, delivery, reports } = await open([distant.url]);
    const title = await readTitle(store);
    const titles = await Promise.all(Array.from({ length: 100 }, () => readTitle(delivery)));
    expect(new Set(titles)).toEqual(new Set([title]));
    expect([await stateOf(store), reports()]).toEqual(["used", []]);
  });

  test("share reads, and do without one that is killed until it is back", async () => {
    const [first, second] = [await startProxy(), await startProxy()];
    const { store, delivery } = await open([first.url, second.url]);
    for (let read = 0; read < 4; read += 1) await readTitle(delivery);
    // Beside the connection of the probe.
    expect(Math.min(first.connections(), second.connections())).toBeGreaterThan(1);
    first.swallow();
    await Promise.all(Array.from({ length: 4 }, () => readTitle(delivery)));
    expect(await stateOf(store)).toBe("used");

    await standby.kill();
    const title = await readTitle(store);
    expect(await readTitle(delivery)).toBe(title);
    await untilState(store, "unavailable");
    await rename(store, "while away");
    expect(await readTitle(delivery)).toBe("while away");
    await standby.start();
    await standby.catchUp();
    await untilState(store, "used");
    expect(await readTitle(delivery)).toBe("while away");
  });

  test("are not used if they are primaries", async () => {
    const { store, delivery } = await open([addressOf(primary).url]);
    expect(await stateOf(store)).toBe("unavailable");
    expect(await readTitle(delivery)).toBe(await readTitle(store));
  });

  test("are not used if they are copies of another database of the same server", async () => {
    const other = addressOf(primary).url.replace("/postgres?", "/other?");
    await queryDatabase(addressOf(primary).url, "create database other");
    const store = await openPostgresStore({ engine: "postgres", url: other });
    onTestFinished(store.close);
    const event = createEvent("event-1", { title: { en: "other" } });
    await loadDataset(store, createSmallDataset({ events: [event] }));
    await standby.catchUp();
    const wrong = addressOf(standby).url.replace("/postgres?", "/other?");
    const { store: own, delivery, lines } = await open([wrong]);
    expect(await readTitle(delivery)).toBe(await readTitle(own));
    const err = { message: "the replica is a copy of another database" };
    expect(lines).toMatchObject([{ msg: "replica is taken out of use", err }]);
  });

  test("are not used any more from the moment they are promoted", async () => {
    const { store, delivery, lines } = await open();
    const before = await readTitle(delivery);
    await standby.run("select pg_promote()");
    // As another service would that writes there now.
    await standby.run(`update content set doc = replace(doc, '${before}', 'diverged')`);
    await standby.run("update project set change_count = change_count + 5");
    expect(await readTitle(delivery)).toBe(before);
    expect(await stateOf(store)).toBe("unavailable");
    expect(lines).toMatchObject([
      { msg: "replica is taken out of use", err: { message: "the replica was promoted" } },
    ]);
  });
});

describe.runIf(ENGINE === "postgres")("without the primary", () => {
  test("replicas serve reads at the known revision; writes are UNAVAILABLE", async () => {
    await standby.kill();
    standby = await startStandby(primary);
    const { store, delivery } = await open();
    const before = await readTitle(delivery);
    const ready = await store.readiness();
    expect(ready).toMatchObject({ primary: true, replica: "used" });
    await primary.kill();
    expect(await store.readiness()).toEqual({ ...ready, primary: false });
    expect(await readTitle(delivery)).toBe(before);
    await expect(rename(store, "lost")).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    await expect(store.catchUp()).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    expect(await readTitle(delivery)).toBe(before);
    await standby.kill();
    await expect(readTitle(delivery)).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    await expect(store.readiness()).rejects.toMatchObject({ code: Code.UNAVAILABLE });
  });
});
