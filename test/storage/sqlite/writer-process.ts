// A process of its own for the tests: `<file> <writers> [count]` raises an annotation's order again and again, or so many
// times, by several writers at once, each time with a secret of the same number, and a line for each write.
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { ALPHA } from "../small-dataset.ts";

const [file = "", writers = "1", count = "Infinity"] = process.argv.slice(2);
const store = openSqliteStore(file);

async function write(): Promise<void> {
  for (let round = 0; round < Number(count); round += 1) {
    const order = await store.transaction({ projectIds: [ALPHA] }, async (unit) => {
      const { value } = await unit
        .in("acme")
        .documents.annotation.update("annotation-1", (current) => ({
          ...current.value,
          order: current.value.order + 1n,
        }));
      await unit.secrets.getOrCreate(`order-${value.order}`, () => Uint8Array.of(1));
      return value.order;
    });
    process.stdout.write(`${order}\n`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, write));
await store.close();
