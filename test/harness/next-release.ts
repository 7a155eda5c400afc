import { cpSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "./folder.ts";
import { ROOT } from "./process.ts";

/** The first line of a migration that processes of the release before survive. */
export const MAY_RUN = "-- Processes of the release before: may run";

/** What a migration may do while processes of the release before still run. */
const MIGRATION = `${MAY_RUN}
create table next_release (id text primary key, count integer not null default 0);
insert into next_release (id) select id from ruleset;
alter table ruleset add column next_release text not null default '';
alter table audit_entry add column next_release integer;
create index ruleset_next_release on ruleset (next_release, id);
`;

/** A checkout of a release that has one more migration than this one. */
export interface NextRelease {
  readonly path: string;
  /** The number of its last migration. */
  readonly number: number;
  /** Loads a module of its `src/storage`, named by its path in `src`; modules elsewhere are those of this release. */
  load<Module>(name: string): Promise<Module>;
  remove(): void;
}

/**
 * Creates a release whose one migration more, the same on both engines, is `sql`. Its processes need the whole source:
 * a link leads to a module of this release.
 */
export function createNextRelease(sql = MIGRATION, { isWhole = false } = {}): NextRelease {
  const { path, remove } = createFolder();
  // What finds the migrations beside it is copied; to load the rest again would take seconds.
  const copied = isWhole ? "src" : "src/storage";
  cpSync(join(ROOT, copied), join(path, copied), { recursive: true });
  const others = isWhole ? [] : readdirSync(join(ROOT, "src")).filter((it) => it !== "storage");
  for (const name of [...others.map((it) => `src/${it}`), "gen", "node_modules", "package.json"]) {
    symlinkSync(join(ROOT, name), join(path, name));
  }
  const number = newestMigration("sqlite") + 1;
  for (const engine of ["sqlite", "postgres"]) {
    const name = `${String(number).padStart(4, "0")}_next_release.sql`;
    writeFileSync(join(path, "src/storage/migrations", engine, name), sql);
  }
  return { path, number, load: (name) => import(join(path, "src", name)), remove };
}

/** Returns the number of the last migration of a folder. */
export function newestMigration(folder: "sqlite" | "sqlite-leases" | "postgres"): number {
  const names = readdirSync(join(ROOT, "src/storage/migrations", folder)).sort();
  return Number.parseInt(names.at(-1) ?? "", 10);
}
