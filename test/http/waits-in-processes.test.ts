import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createToken, hashToken } from "../../src/auth/token.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { getUrl } from "../harness/calls.ts";
import { ENGINE } from "../harness/engine.ts";
import { send } from "../harness/http.ts";
import { loadDataset } from "../harness/load-dataset.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { type PostgresServer, startPostgres, toDatabaseUrl } from "../harness/postgres-server.ts";
import { type Standby, startStandby } from "../harness/postgres-standby.ts";
import { type ServiceProcess, serveDatabase } from "../harness/service-process.ts";
import { keepProjectKey } from "../storage/project-key.ts";
import { ALPHA, createEvent, createSmallDataset } from "../storage/small-dataset.ts";

const readOf = (url: string, id: string, key: string) =>
  `${url}${getUrl("/svc.cda.cms.event.v1.EventService/GetEvent", { id })}&key=${key}`;

const CLIENTS = 1_000;

/** Lets clients wait for a read; returns once all do, with the promises of their responses and the times of these. */
async function startWaiting({ deliveryUrl }: ServiceProcess, read: string, count = CLIENTS) {
  const state = (await send("GET", read)).headers.get("marquee-state");
  const responses = Array.from({ length: count }, async () => {
    const got = await send("GET", `${read}&after=${state}&wait=10`);
    return { got, time: performance.now() };
  });
  const countWaiting = async () => {
    const { text } = await send("GET", `${deliveryUrl}/metrics`);
    return Number(/^marquee_waiting_requests (\d+)$/m.exec(text)?.[1]);
  };
  await expect.poll(countWaiting, { timeout: 8_000 }).toBe(count);
  return { state, responses };
}

/** The time until the last of several responses, in milliseconds. */
const lastOf = (all: readonly { readonly time: number }[], start: number) =>
  Math.max(...all.map(({ time }) => time)) - start;

describe("reads that wait in another process", () => {
  let marquee: Marquee;
  let other: ServiceProcess;
  beforeAll(async () => {
    marquee = await startMarquee();
    other = await serveDatabase(marquee.address, ["--drain-seconds", "3"]);
  }, 60_000);
  afterAll(async () => {
    await other.stop();
    await marquee.close();
  });

  test("17: have a write within two seconds", async () => {
    const read = readOf(other.deliveryUrl, "match-2026-104", marquee.keys.public);
    const { responses } = await startWaiting(other, read);
    const { status } = await send("PATCH", `${marquee.url}/cms/events/v1/match-2026-104`, {
      token: marquee.tokens.owner,
      headers: { "x-project-id": "worldcup" },
      body: { event: { fields: { score: { home: 7 } } }, update_mask: "fields" },
    });
    expect(status).toBe(200);
    const start = performance.now();
    const all = await Promise.all(responses);
    expect(new Set(all.map(({ got }) => got.json.event.fields.score.home))).toEqual(new Set([7]));
    expect(lastOf(all, start)).toBeLessThan(2_000);
  }, 30_000);

  test("24: end within a second of SIGTERM, and the process in its drain time", async () => {
    const read = readOf(other.deliveryUrl, "match-2026-104", marquee.keys.public);
    const { state, responses } = await startWaiting(other, read);
    const start = performance.now();
    const stopped = other.stop();
    const all = await Promise.all(responses);
    expect(new Set(all.map(({ got }) => got.status))).toEqual(new Set([200]));
    expect(lastOf(all, start)).toBeLessThan(1_000);
    const { status } = await send("GET", `${read}&after=${state}&wait=10`);
    expect([status, performance.now() - start < 3_000]).toEqual([200, true]);
    expect([await stopped, performance.now() - start < 5_000]).toEqual([0, true]);
  }, 30_000);
});

describe.runIf(ENGINE === "postgres")("reads that wait in a process with a replica", () => {
  const key = createToken("public");
  const locationOf = ({ socketFolder }: Pick<PostgresServer, "socketFolder">) =>
    ({ engine: "postgres", url: toDatabaseUrl(socketFolder, "postgres") }) as const;
  let primary: PostgresServer;
  let standby: Standby;
  let store: Store;
  let service: ServiceProcess;
  beforeAll(async () => {
    primary = await startPostgres();
    store = await openPostgresStore(locationOf(primary));
    await loadDataset(store, createSmallDataset({ events: [createEvent("live", {})] }));
    await keepProjectKey(store, ALPHA, "public", hashToken(key));
    standby = await startStandby(primary);
    await standby.catchUp();
    const replica = ["--database-replica", locationOf(standby).url];
    service = await serveDatabase(locationOf(primary), replica);
  }, 60_000);
  afterAll(async () => {
    await service?.stop();
    await store?.close();
    await standby?.kill();
    await primary?.stop();
  });

  test.each([
    ["that follows", "resume"],
    ["that is behind", "pause"],
  ])(
    "17: have a write within two seconds: a replica %s",
    async (_, replay) => {
      const read = readOf(service.deliveryUrl, "live", key);
      const { responses } = await startWaiting(service, read);
      await standby.run(`select pg_wal_replay_${replay}()`);
      const { event } = store.in("acme").documents;
      await event.update("live", ({ value }) => ({ ...value, title: { en: replay } }));
      const start = performance.now();
      const all = await Promise.all(responses);
      expect(new Set(all.map(({ got }) => got.json.event.title.en))).toEqual(new Set([replay]));
      expect(lastOf(all, start)).toBeLessThan(2_000);
    },
    30_000,
  );
});
