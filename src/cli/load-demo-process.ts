import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { readDemoRecords } from "../demo/records.ts";
import { importDemoReleases } from "../demo/releases.ts";
import { createSecret } from "../outbox/signature.ts";
import { openStore } from "../storage/open.ts";
import { describeFailure } from "./failure.ts";

// The process of `loadDemo`: loads the demo into the database that standard input names.
try {
  const { location, url } = JSON.parse(readFileSync(0, "utf8"));
  const store = await openStore(location);
  const now = new Date();
  const records = readDemoRecords({ url, now });
  await store.importRecords(records, { createSecret: () => createSecret(randomBytes) });
  await importDemoReleases(store, now, url);
  await store.close();
} catch (cause) {
  process.stderr.write(describeFailure(cause));
  process.exit(1);
}
