// A process of its own for the tests: `<database> <file> <step>` backs a database up, half-way through
// its copy, or before its check, says so and stays there for ever.
import { backUpSqlite } from "../../../src/storage/sqlite/backup.ts";

const [database = "", file = "", step = ""] = process.argv.slice(2);
await backUpSqlite(database, file, {
  onProgress(progress) {
    if (progress.step !== step) return;
    if (progress.step === "copy" && progress.bytes * 2 < progress.size) return;
    process.stdout.write("half-way\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
