import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createToken, hashToken } from "../../../src/auth/token.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { openPostgresStore } from "../../../src/storage/postgres/open.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import {
  type PostgresServer,
  startPostgres,
  toDatabaseUrl,
} from "../../harness/postgres-server.ts";
import { type Standby, startStandby } from "../../harness/postgres-standby.ts";
import { type ServiceProcess, serveDatabase } from "../../harness/service-process.ts";
import { lastOf, readOf, startWaiting } from "../../http/waiting-clients.ts";
import { keepProjectKey } from "../project-key.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";

describe("reads that wait in a process with a replica", () => {
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
    "17: have a write long before their ten seconds are over: a replica %s",
    async (_, replay) => {
      const read = readOf(service, "live", key);
      const { responses } = await startWaiting(service, read);
      await standby.run(`select pg_wal_replay_${replay}()`);
      const { event } = store.in("acme").documents;
      await event.update("live", ({ value }) => ({ ...value, title: { en: replay } }));
      const start = performance.now();
      const all = await Promise.all(responses);
      expect(new Set(all.map(({ got }) => got.json.event.title.en))).toEqual(new Set([replay]));
      expect(lastOf(all, start)).toBeLessThan(5_000);
    },
    30_000,
  );
});
