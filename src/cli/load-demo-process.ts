import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createDemoDataset } from "../demo/dataset.ts";
import { createSecret } from "../outbox/signature.ts";
import { openStore } from "../storage/open.ts";

// The process of `loadDemo`: loads the demo into the database whose address it reads from standard input.
const store = await openStore(JSON.parse(readFileSync(0, "utf8")));
await store.load(createDemoDataset(), () => createSecret(randomBytes));
await store.close();
