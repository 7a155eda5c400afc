import { cpSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "../harness/folder.ts";
import { ROOT } from "../harness/process.ts";
import type { Fault } from "./fault.ts";
import { restartUnderLoad } from "./rolling-restart.ts";

/** What a migration may do while processes of the release before still run. */
const MIGRATION = `
create table next_release (id text primary key, count integer not null default 0);
insert into next_release (id) select id from ruleset;
alter table ruleset add column next_release text not null default '';
alter table audit_entry add column next_release integer;
create index ruleset_next_release on ruleset (next_release, id);
`;

export const fault: Fault = {
  title: "rolling restart with a migration",
  engines: ["sqlite", "postgres"],

  async run({ isQuick, ...run }) {
    for (let round = 0; round < (isQuick ? 1 : 5); round += 1) {
      const folder = createFolder();
      const number = createNextRelease(folder.path);
      // The first process of the next release migrates while one of this release answers.
      const schema = await restartUnderLoad(run, 2, folder.path);
      run.check("migration", schema, schema === number);
      folder.remove();
    }
  },
};

/** Creates a checkout of a release that has one more migration, and returns its number. */
function createNextRelease(path: string): number {
  cpSync(join(ROOT, "src"), join(path, "src"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(path, "package.json"));
  for (const shared of ["gen", "node_modules"]) {
    symlinkSync(join(ROOT, shared), join(path, shared));
  }
  const folders = ["sqlite", "postgres"].map((it) => join(path, "src/storage/migrations", it));
  const newest = folders.flatMap((it) => readdirSync(it)).map((it) => Number.parseInt(it, 10));
  const number = Math.max(...newest) + 1;
  for (const folder of folders) {
    writeFileSync(join(folder, `${String(number).padStart(4, "0")}_next_release.sql`), MIGRATION);
  }
  return number;
}
