import { randomBytes } from "node:crypto";
import { createDemoDataset } from "../demo/dataset.ts";
import { createSecret } from "../outbox/signature.ts";
import { openStore } from "../storage/open.ts";

// The process of `loadDemo`: loads the demo into the database whose address its environment holds.
const store = await openStore(JSON.parse(process.env.MARQUEE_DEMO_DATABASE ?? ""));
await store.load(createDemoDataset(), () => createSecret(randomBytes));
await store.close();
