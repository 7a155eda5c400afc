import Database from "better-sqlite3";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { compile } from "../../../src/storage/db/query.ts";
import { SQLITE_COMPILER } from "../../../src/storage/sqlite/sqlite-db.ts";

const ROUNDS = 15;
const RUNS = 40;

test("a statement is not prepared again when its parameters change", () => {
  const database = new Database(":memory:");
  // It takes long to prepare and no time to run.
  const constants = Array.from(
    { length: 400 },
    (_, number) => sql`select ${sql.lit(number)} as it`,
  );
  const rows = sql`select it from (${sql.join(constants, sql` union all `)})`;
  const fixed = database.prepare(compile(sql`${rows} limit ${sql.lit(1)}`, SQLITE_COMPILER).text);
  const bound = database.prepare(compile(sql`${rows} limit ${1}`, SQLITE_COMPILER).text);
  const [fixedTime, boundTime] = [measure(() => fixed.all()), measure((limit) => bound.all(limit))];
  expect(boundTime).toBeLessThan(5 * fixedTime + 1);
});

/** Returns the milliseconds of the fastest of some rounds. */
function measure(run: (number: number) => void): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    for (let number = 1; number <= RUNS; number += 1) run(number);
    return performance.now() - start;
  });
  return Math.min(...times);
}
