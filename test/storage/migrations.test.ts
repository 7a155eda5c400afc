import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { expect, test } from "vitest";
import { Code } from "../../src/domain/errors.ts";
import {
  checkMigration,
  listMigrations,
  type Migration,
} from "../../src/storage/migrations/check-migration.ts";
import { type DatabaseAddress, openStore } from "../../src/storage/open.ts";
import { readPage } from "../docs/pages.ts";
import { captureLog } from "../harness/captured-log.ts";
import { ENGINE } from "../harness/engine.ts";
import { createFolder } from "../harness/folder.ts";
import { createNextRelease, MAY_RUN } from "../harness/next-release.ts";
import { createDatabase, dropDatabase } from "../harness/postgres-databases.ts";

/** What every migration but the first of a folder begins with. */
const HEADER = /^-- Processes of the release before: (may run|must stop, .+)\n/;

const FOLDERS = ["sqlite", "sqlite-leases", "postgres"];

/** A database to which migrations are applied. */
interface Target {
  readonly address: DatabaseAddress;
  /** Runs a statement, which fails where the schema lacks what it names. */
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

async function openTarget(): Promise<Target> {
  if (ENGINE === "sqlite") {
    const folder = createFolder();
    const path = join(folder.path, "marquee.db");
    const database = new Database(path);
    return {
      address: { engine: "sqlite", path },
      run: async (sql) => void database.exec(sql),
      async close() {
        database.close();
        folder.remove();
      },
    };
  }
  const { name, url } = await createDatabase("template0");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    address: { engine: "postgres", url },
    run: async (sql) => void (await client.query(sql)),
    async close() {
      await client.end();
      await dropDatabase(name);
    },
  };
}

const read = (folder: string, { name }: Migration) =>
  readFileSync(new URL(`../../src/storage/migrations/${folder}/${name}`, import.meta.url), "utf8");
const list = (folder: string) =>
  listMigrations(new URL(`../../src/storage/migrations/${folder}/`, import.meta.url));

test.each(FOLDERS)(
  "each migration of %s says whether processes of the release before may run",
  (folder) => {
    for (const migration of list(folder).slice(1)) {
      expect([migration.name, read(folder, migration)]).toEqual([
        migration.name,
        expect.stringMatching(HEADER),
      ]);
    }
  },
);

for (const [what, header, asks] of [
  ["may run", MAY_RUN, "may run"],
  ["must stop", "-- Processes of the release before: must stop, why", "must be stopped"],
] as const) {
  test(`the start of a release before which processes ${what} reports it, and how long it took`, async () => {
    const next = createNextRelease(`${header}\ncreate table next_release (id text);`);
    const later = await next.load<Open>("storage/open.ts");
    const target = await openTarget();
    await (await openStore(target.address)).close();
    const { log, lines } = captureLog("info");
    const start = async () => {
      const store = await later.openStore(target.address, { log });
      expect((await store.readiness()).schema).toBe(next.number);
      await store.close();
      return lines.splice(0).filter(({ database }) => database === "content");
    };
    const [from, to] = [next.number - 1, next.number];
    expect(await start()).toMatchObject([
      {
        level: 40,
        msg: `database migration begins, processes of the release before ${asks}`,
        from,
        to,
      },
      { level: 40, msg: "database migrated", from, to, duration_ms: expect.any(Number) },
    ]);
    expect(await start()).toEqual([]);
    await target.run("insert into next_release values ('a')");
    await expect(openStore(target.address)).rejects.toMatchObject({ reason: "DATABASE_TOO_NEW" });
    await target.close();
    next.remove();
  });
}

type Open = typeof import("../../src/storage/open.ts");

test("a database that is older than the first migration is refused", () => {
  const migrations = [{ name: "0007_baseline.sql", number: 7 }];
  expect(() => checkMigration(6, migrations)).toThrow(
    expect.objectContaining({ code: Code.FAILED_PRECONDITION, reason: "DATABASE_TOO_OLD" }),
  );
  for (const from of [0, 7]) checkMigration(from, migrations);
});

/** Lists the numbers of migrations for which a changelog asks to stop every process. */
function listAnnounced(changelog: string): readonly number[] {
  const entries = Array.from(
    changelog.matchAll(/^- \*\*Stop every process\*\*(?:.|\n(?! *\n|- ))*/gm),
    ([entry]) => entry,
  );
  return [
    ...new Set(entries.flatMap((entry) => Array.from(entry.matchAll(/\b0\d{3}\b/g), Number))),
  ];
}

test("the changelog says of each migration for which processes must stop that they must", () => {
  const mustStop = FOLDERS.flatMap((folder) =>
    list(folder)
      .slice(1)
      .filter((migration) => !read(folder, migration).startsWith(MAY_RUN))
      .map(({ number }) => number),
  );
  const announced = listAnnounced(readPage("CHANGELOG.md").text);
  expect(announced.toSorted()).toEqual([...new Set(mustStop)].sort());
  const sample = "- **Stop every process** before 0002 and\n  0004.\n- Not before 0003.\n";
  expect(listAnnounced(sample)).toEqual([2, 4]);
});
