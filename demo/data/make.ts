/**
 * Writes `demo.ndjson` and `releases.ndjson`, the records that `serve --demo` imports, and `pictures.json`, the pictures
 * that it serves: `npm run demo`.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { printPictures } from "./picture.ts";
import { printDemo, printReleases } from "./records.ts";

const records = printDemo();
writeFileSync(new URL("../demo.ndjson", import.meta.url), records);
writeFileSync(new URL("../releases.ndjson", import.meta.url), printReleases());
writeFileSync(new URL("../pictures.json", import.meta.url), printPictures(records));
