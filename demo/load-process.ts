import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { withholdCredentials } from "../src/domain/base/text.ts";
import { createSecret } from "../src/outbox/signature.ts";
import { openStore } from "../src/storage/open.ts";
import { readDemoRecords } from "./records.ts";
import { importDemoReleases } from "./releases.ts";

// The process of `loadDemo`: loads the demo into the database that standard input names.
try {
  const { location, url } = JSON.parse(readFileSync(0, "utf8"));
  const store = await openStore(location);
  const now = new Date();
  await store.transaction("installation", async (unit) => {
    // A process that was ended may have left another one that loads it.
    if (!(await unit.isEmpty())) return;
    const records = readDemoRecords({ url, now });
    await unit.importRecords(records, { createSecret: () => createSecret(randomBytes) });
    await importDemoReleases(unit, now, url);
  });
  await store.close();
} catch (cause) {
  process.stderr.write(withholdCredentials(describe(cause)));
  process.exit(1);
}

/** Describes an error with its causes in one line. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`;
}
