import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { toJsonString } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { issueAccessToken } from "../../src/auth/issue.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import { type DatabaseLocation, openStore } from "../../src/storage/open.ts";
import { loadDataset } from "../../test/harness/load-dataset.ts";
import { startPostgres, toDatabaseUrl } from "../../test/harness/postgres-server.ts";
import { MARQUEE } from "../../test/harness/process.ts";
import { keepProjectKey } from "../../test/storage/project-key.ts";
import { ALPHA, createSmallDataset } from "../../test/storage/small-dataset.ts";
import { createBenchEvent } from "./million.ts";
import type { Credential } from "./requests.ts";
import type { Servers } from "./servers.ts";

/** A database without events. */
export interface EventDatabase {
  /** The value of `--database`. */
  readonly database: string;
  /** With the public key of the project. */
  readonly credential: Credential;
  /** With the public keys of further projects, by their ids. */
  readonly others: Readonly<Record<string, Credential>>;
  /** With an access token of the project's owner. */
  readonly owner: Credential;
  /** The access token of the project's owner. */
  readonly token: string;
}

/** Makes a database with a project, its public key and its owner, and with further projects by their ids. */
export async function prepareDatabase(
  address: DatabaseLocation,
  projectIds: readonly string[] = [],
): Promise<EventDatabase> {
  const store = await openStore(address);
  const dataset = createSmallDataset({ events: [] });
  const further = projectIds.map((id) => ({ id, organizationId: "acme", name: id }));
  await loadDataset(store, { ...dataset, projects: [...dataset.projects, ...further] });
  const createKey = async (projectId: string): Promise<Credential> => {
    const key = createToken("public");
    await keepProjectKey(store, projectId, "public", hashToken(key));
    return { authorization: `Bearer ${key}` };
  };
  const credential = await createKey(ALPHA);
  const others: Record<string, Credential> = {};
  for (const projectId of projectIds) others[projectId] = await createKey(projectId);
  const { documents } = store.in("acme");
  const token = { id: "bench", accountId: "ann", name: "bench" };
  const { secret } = await issueAccessToken(documents, token, new Date());
  await store.close();
  return {
    database: address.engine === "sqlite" ? `sqlite:${address.path}` : address.url,
    credential,
    others,
    owner: { authorization: `Bearer ${secret}` },
    token: secret,
  };
}

/** Measures on a new database of each engine, one after the other. */
export async function measureOnEngines(
  servers: Servers,
  measure: (engine: string, database: EventDatabase) => Promise<void>,
  projectIds: readonly string[] = [],
): Promise<void> {
  const path = join(servers.folder, "events.db");
  await measure("SQLite", await prepareDatabase({ engine: "sqlite", path }, projectIds));
  const postgres = await startPostgres({ isDurable: true });
  const url = toDatabaseUrl(postgres.socketFolder, "postgres");
  await measure("PostgreSQL", await prepareDatabase({ engine: "postgres", url }, projectIds));
  await servers.stopAll();
  await postgres.stop();
}

/** Writes events of a project as lines of an import, with further fields by their number. */
export async function createEventFile(
  path: string,
  count: number,
  projectId = ALPHA,
  fieldsOf: (number: number) => Partial<Event> = () => ({}),
): Promise<string> {
  const file = createWriteStream(path);
  for (let number = 0; number < count; number += 1) {
    const event = { ...createBenchEvent(projectId, number), ...fieldsOf(number) };
    const line = `{"event":${toJsonString(EventSchema, event)}}\n`;
    if (!file.write(line)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
  return path;
}

/** Imports a file by the command into a `--database`, and returns how many lines it took in one second. */
export async function importEvents(path: string, database: string, count: number): Promise<number> {
  const start = performance.now();
  const args = MARQUEE.args("import", path, "--database", database);
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return (count / (performance.now() - start)) * 1_000;
}
