// A process of its own for the tests: `<file> <count>` raises an annotation's order that many times,
// with a line for each answered write.
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";

const [file = "", count = "0"] = process.argv.slice(2);
const store = openSqliteStore(file);
process.stdout.write("open\n");
for (let round = 0; round < Number(count); round += 1) {
  const { value } = await store
    .in("acme")
    .documents.annotation.update("annotation-1", (current) => ({
      ...current.value,
      order: current.value.order + 1n,
    }));
  process.stdout.write(`${value.order}\n`);
}
await store.close();
