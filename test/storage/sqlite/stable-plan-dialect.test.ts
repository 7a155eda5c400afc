import Database from "better-sqlite3";
import { Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import { StablePlanDialect } from "../../../src/storage/sqlite/stable-plan-dialect.ts";

const ROUNDS = 15;
const RUNS = 40;

test("a statement is not prepared again when its parameters change", () => {
  const database = new Database(":memory:");
  const db = new Kysely<unknown>({ dialect: new StablePlanDialect({ database }) });
  // It takes long to prepare and no time to run.
  const constants = Array.from(
    { length: 400 },
    (_, number) => sql`select ${sql.lit(number)} as it`,
  );
  const rows = sql`select it from (${sql.join(constants, sql` union all `)})`;
  const fixed = database.prepare(sql`${rows} limit ${sql.lit(1)}`.compile(db).sql);
  const bound = database.prepare(sql`${rows} limit ${1}`.compile(db).sql);
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
