import { createNextRelease } from "../../test/harness/next-release.ts";
import type { Fault } from "./fault.ts";
import { restartUnderLoad } from "./rolling-restart.ts";

export const fault: Fault = {
  title: "rolling restart with a migration",
  engines: ["sqlite", "postgres"],

  async run({ isQuick, ...run }) {
    for (let round = 0; round < (isQuick ? 1 : 5); round += 1) {
      const next = createNextRelease(undefined, { isWhole: true });
      // The first process of the next release migrates while one of this release serves.
      const schema = await restartUnderLoad(run, 2, next.path);
      run.check("migration", schema, schema === next.number);
      next.remove();
    }
  },
};
