import { randomBytes } from "node:crypto";
import { createDemoDataset } from "../demo/dataset.ts";
import { createSecret } from "../outbox/signature.ts";
import { openStore } from "../storage/open.ts";

// The process of `loadDemo`: loads the demo into the database file that its argument names.
const [path = ""] = process.argv.slice(2);
const store = await openStore({ engine: "sqlite", path });
await store.load(createDemoDataset(), () => createSecret(randomBytes));
await store.close();
