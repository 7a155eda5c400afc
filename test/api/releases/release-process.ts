// A process of its own for the tests: `<location> <step>` applies scheduled releases of a database until it dies by
// SIGKILL: when it has written a release and not committed it (write), behind the commit (commit), or at some moment
// of the transaction (moment). It prints a line when it is open.

import { setTimeout } from "node:timers/promises";
import { type DatabaseLocation, openStore } from "../../../src/storage/open.ts";
import { startOver } from "../../harness/marquee.ts";
import { override } from "../../harness/override.ts";

const [location = "", step = ""] = process.argv.slice(2);
const store = await openStore(JSON.parse(location) as DatabaseLocation);

const dieAt = async (here: string): Promise<void> => {
  if (step !== here) return;
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => {});
};

await startOver(
  override(store, {
    async transaction(scope, run) {
      // Only applying takes an organization here.
      if (typeof scope !== "object" || !("organizationId" in scope)) {
        return store.transaction(scope, run);
      }
      if (step === "moment") void setTimeout(Math.random() * 40).then(() => dieAt("moment"));
      const result = await store.transaction(scope, async (unit) => {
        const written = await run(unit);
        await dieAt("write");
        return written;
      });
      await dieAt("commit");
      return result;
    },
  }),
  { runsActions: true },
);
process.stdout.write("open\n");
