import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { readDemoRecords } from "../demo/records.ts";
import { createSecret } from "../outbox/signature.ts";
import { openStore } from "../storage/open.ts";
import { describeFailure } from "./failure.ts";

// The process of `loadDemo`: loads the demo into the database that standard input names.
try {
  const { location, url } = JSON.parse(readFileSync(0, "utf8"));
  const store = await openStore(location);
  const records = readDemoRecords({ url, now: new Date() });
  await store.importRecords(records, { createSecret: () => createSecret(randomBytes) });
  await store.close();
} catch (cause) {
  process.stderr.write(describeFailure(cause));
  process.exit(1);
}
