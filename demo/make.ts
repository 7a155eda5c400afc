/**
 * Writes `demo.ndjson`, the records that `serve --demo` imports: `npm run demo`.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { printDemo } from "./records.ts";

writeFileSync(new URL("demo.ndjson", import.meta.url), printDemo());
