// A process of its own for the tests: `<file>` begins to measure the tables of a file, and ends that at any time.
import { setTimeout } from "node:timers/promises";
import { TableSizes } from "../../../src/storage/sqlite/table-sizes.ts";

const [file = ""] = process.argv.slice(2);
for (let ms = 0; ms < 120; ms += 2) {
  const sizes = new TableSizes(file);
  sizes.read();
  await setTimeout(ms);
  await sizes.close();
}
