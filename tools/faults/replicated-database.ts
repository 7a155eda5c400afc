import { randomBytes } from "node:crypto";
import { type DemoCredentials, issueDemoCredentials } from "../../demo/credentials.ts";
import { readDemoRecords } from "../../demo/records.ts";
import { createSecret } from "../../src/outbox/signature.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { startPostgres, toDatabaseUrl } from "../../test/harness/postgres-server.ts";
import { type Standby, startStandby } from "../../test/harness/postgres-standby.ts";

/** A server of its own with the demo, and its standby. */
export interface ReplicatedDatabase {
  /** The values of `--database` and `--database-replica`. */
  readonly setting: string;
  readonly replicaSetting: string;
  readonly standby: Standby;
  readonly credentials: DemoCredentials;
  /** Ends the primary without notice. */
  killPrimary(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server, loads the demo and starts a standby. */
export async function createReplicatedDatabase(): Promise<ReplicatedDatabase> {
  const primary = await startPostgres();
  const url = toDatabaseUrl(primary.socketFolder, "postgres");
  const store = await openPostgresStore({ engine: "postgres", url });
  await store.importRecords(readDemoRecords(), { createSecret: () => createSecret(randomBytes) });
  const credentials = await issueDemoCredentials(store, undefined, new Date());
  await store.close();
  const standby = await startStandby(primary);
  await standby.catchUp();
  return {
    setting: url,
    replicaSetting: toDatabaseUrl(standby.socketFolder, "postgres"),
    ...{ standby, credentials },
    killPrimary: primary.kill,
    close: primary.stop,
  };
}
