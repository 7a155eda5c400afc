import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { toJsonString } from "@bufbuild/protobuf";
import { EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { MARQUEE } from "../harness/process.ts";
import { keepProjectKey } from "../storage/project-key.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";
import { createBenchEvent } from "./million.ts";
import type { Credential } from "./requests.ts";

/** A database without events, and the public key of its project. */
export interface EventDatabase {
  readonly database: string;
  readonly credential: Credential;
}

/** Makes a database with one project and its public key. */
export async function prepareDatabase(path: string): Promise<EventDatabase> {
  const store = openSqliteStore(path);
  await store.load(createSmallDataset({ events: [] }));
  const key = createToken("public");
  await keepProjectKey(store, ALPHA, "public", hashToken(key));
  await store.close();
  return { database: path, credential: { authorization: `Bearer ${key}` } };
}

/** Writes events of a project as lines of an import. */
export async function createEventFile(
  path: string,
  count: number,
  projectId = ALPHA,
): Promise<string> {
  const file = createWriteStream(path);
  for (let number = 0; number < count; number += 1) {
    const event = createBenchEvent(projectId, number);
    const line = `{"event":${toJsonString(EventSchema, event)}}\n`;
    if (!file.write(line)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
  return path;
}

/** Imports a file by the command, and returns how many lines it took in one second. */
export async function importEvents(path: string, database: string, count: number): Promise<number> {
  const start = performance.now();
  const args = MARQUEE.args("import", path, "--database", `sqlite:${database}`);
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return (count / (performance.now() - start)) * 1_000;
}
