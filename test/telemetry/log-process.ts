// A process of its own for the tests: `<file> <end> <lines>` writes so many numbered lines to the log, every
// third of them an error's, prints how long that took and what memory it needs, then ends in the way that is
// named: exit, throw, reject, or stay.
import { openLog } from "../../src/telemetry/open-log.ts";

const [end = "", lines = "0"] = process.argv.slice(2);
const log = openLog("info");
process.on("SIGTERM", () => process.exit(0));
const start = performance.now();
for (let at = 0; at < Number(lines); at += 1) {
  if (at % 3 === 0) log.error({ at, err: new Error("expected") }, "failed");
  else log.info({ at, text: "x".repeat(200) }, "request");
  if (at % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
}
const time = performance.now() - start;
process.stdout.write(`${JSON.stringify({ time, memory: process.memoryUsage().rss })}\n`);
switch (end) {
  case "exit":
    process.exit(0);
    break;
  case "throw":
    setImmediate(() => {
      throw new Error("the crash");
    });
    break;
  case "reject":
    void Promise.reject(new Error("the crash"));
    break;
  default:
    setInterval(() => {}, 1_000);
}
