import { randomBytes } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { FILE_URL } from "../../demo/ids.ts";
import { readDemoRecords } from "../../demo/records.ts";
import type { RecordItem } from "../../src/domain/records/record.ts";
import { createSecret } from "../../src/outbox/signature.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { createFolder, RUN_FOLDER } from "./folder.ts";

/** What a copied database holds: nothing but its schema, or the demo's data. */
export type Template = "empty" | "demo";

/** Creates the databases that tests copy, once for all test files. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Another project of the same run has created them.
  if (process.env[RUN_FOLDER] !== undefined) return undefined;
  const folder = createFolder();
  await openSqliteStore(join(folder.path, "empty.db")).close();
  const demo = openSqliteStore(join(folder.path, "demo.db"));
  await demo.importRecords(readTemplateRecords(), {
    createSecret: () => createSecret(randomBytes),
  });
  await demo.close();
  process.env[RUN_FOLDER] = folder.path;
  return async () => {
    delete process.env[RUN_FOLDER];
    folder.remove();
  };
}

/** The demo's transactions that a template has: a tenth of them; all are half of the demo's records. */
const KEPT_TRANSACTIONS = 10;

async function* readTemplateRecords(): AsyncGenerator<readonly RecordItem[]> {
  let transactions = 0;
  const isKept = ({ kind }: RecordItem) =>
    kind !== "transaction" || transactions++ % KEPT_TRANSACTIONS === 0;
  for await (const items of readDemoRecords({ url: FILE_URL })) {
    yield items.filter(isKept);
  }
}

/** What the names of a database's files have behind its path: content and leases. */
export const FILES = ["", "-leases"] as const;

/** Returns the path of a template. */
export function templatePath(template: Template): string {
  const folder = process.env[RUN_FOLDER];
  if (folder === undefined) throw new Error("vitest runs test/harness/template-databases.ts first");
  return join(folder, `${template}.db`);
}

/** Copies a template to a path, which is then a database of its own. */
export function copyTemplate(template: Template, path: string): void {
  for (const suffix of FILES) {
    copyFileSync(`${templatePath(template)}${suffix}`, `${path}${suffix}`);
  }
}
