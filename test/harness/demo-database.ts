import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDemoDataset } from "../../src/demo/dataset.ts";
import { createSecret } from "../../src/outbox/signature.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";

const VARIABLE = "MARQUEE_TEST_DATABASE";

/** Makes the demo database once for all test files; each service starts from a copy of it. */
export async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "marquee-demo-"));
  const path = join(folder, "marquee.db");
  const store = openSqliteStore(path);
  await store.load(createDemoDataset(), () => createSecret(randomBytes));
  await store.close();
  process.env[VARIABLE] = path;
  return () => rmSync(folder, { recursive: true });
}

/** Tells where the demo database lies. */
export function demoDatabasePath(): string {
  const path = process.env[VARIABLE];
  if (path === undefined) throw new Error("vitest runs test/harness/demo-database.ts first");
  return path;
}
