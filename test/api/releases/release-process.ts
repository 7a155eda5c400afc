// A process of its own for the tests: `<location> <step>` applies scheduled releases of a database until it dies by
// SIGKILL: when it has written a release and not committed it (write), behind the commit (commit), or at some moment
// of the transaction, at the latest behind it (moment). It prints a line when it is open.

import { setTimeout } from "node:timers/promises";
import { type DatabaseLocation, openStore } from "../../../src/storage/open.ts";
import { startOver } from "../../harness/marquee.ts";
import { override } from "../../harness/override.ts";

const [location = "", step = ""] = process.argv.slice(2);
const store = await openStore(JSON.parse(location) as DatabaseLocation);

const die = async (): Promise<void> => {
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => {});
};

await startOver(
  override(store, {
    async transaction(scope, run) {
      // Only applying is long here.
      if (typeof scope !== "object" || !("isLong" in scope)) return store.transaction(scope, run);
      if (step === "moment") void setTimeout(Math.random() * 40).then(die);
      const result = await store.transaction(scope, async (unit) => {
        const written = await run(unit);
        if (step === "write") await die();
        return written;
      });
      await die();
      return result;
    },
  }),
  { runsActions: true },
);
process.stdout.write("open\n");
