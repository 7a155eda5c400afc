import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Server, type ServerOptions, startServer } from "../../src/server.ts";
import { createFolder, type Folder } from "../harness/folder.ts";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { reasonOf, send } from "../harness/http.ts";
import { silentLog } from "../harness/marquee.ts";
import { writeMmdb } from "../harness/mmdb-file.ts";

const NOW = new Date("2026-06-01T12:00:00Z");
const LOCAL = { host: "127.0.0.1", port: 0 };

let fresh: FreshStore;
let folder: Folder;
const servers: Server[] = [];
beforeAll(async () => {
  fresh = await openFresh();
  folder = createFolder();
});
afterAll(async () => {
  for (const server of servers) await server.close(1_000);
  await fresh.close();
  folder.remove();
});

async function start(options: Partial<ServerOptions> = {}): Promise<Server> {
  const server = await startServer({
    store: fresh.store,
    log: silentLog(),
    clock: () => NOW,
    identityIssuers: [],
    reflection: false,
    listen: LOCAL,
    ...options,
  });
  servers.push(server);
  return server;
}

function writeDatabase(name: string, ageSeconds: number): string {
  const path = join(folder.path, name);
  writeFileSync(path, writeMmdb({}, { buildTime: new Date(NOW.getTime() - ageSeconds * 1_000) }));
  return path;
}

test("tell how old each database of addresses is, and of the process", async () => {
  const server = await start({
    countryDatabase: writeDatabase("country.mmdb", 86_400),
    anonymousIpDatabase: writeDatabase("anonymous.mmdb", 7),
  });
  for (let round = 0; round < 2; round += 1) {
    const got = await send("GET", `${server.studioUrl}/metrics`);
    expect(got.status).toBe(200);
    expect(got.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(got.headers.get("cache-control")).toBe("no-store");
    const lines = got.text.split("\n").filter((line) => line.startsWith("marquee_"));
    expect(lines).toEqual([
      'marquee_country_database_age_seconds{database="country"} 86400',
      'marquee_country_database_age_seconds{database="anonymous_ip"} 7',
      'marquee_action_attempts_total{outcome="succeeded"} 0',
      'marquee_action_attempts_total{outcome="retried"} 0',
      'marquee_action_attempts_total{outcome="failed"} 0',
      "marquee_actions_pending 0",
      "marquee_action_oldest_pending_age_seconds 0",
    ]);
    expect(got.text).toMatch(/^process_resident_memory_bytes \d/m);
    expect(got.text).toMatch(/^nodejs_eventloop_lag_seconds \d/m);
  }
});

test("tell of no database where there is none, and only to a GET", async () => {
  const { studioUrl } = await start();
  const got = await send("GET", `${studioUrl}/metrics`);
  expect(got.status).toBe(200);
  expect(got.text).not.toMatch(/^marquee_country/m);
  expect((await send("POST", `${studioUrl}/metrics`)).status).toBe(405);
});

test("are the management listener's alone when there are two", async () => {
  for (const split of [{ studioListen: LOCAL }, { deliveryListen: LOCAL }]) {
    const { studioUrl, deliveryUrl } = await start(split);
    expect((await send("GET", `${studioUrl}/metrics`)).status).toBe(200);
    const got = await send("GET", `${deliveryUrl}/metrics`);
    expect([got.status, reasonOf(got)]).toEqual([404, "PATH_UNKNOWN"]);
  }
});
