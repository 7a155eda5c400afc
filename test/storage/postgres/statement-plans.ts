import pg from "pg";
import { expect, test } from "vitest";
import { readSettings } from "../../../src/storage/postgres/client-settings.ts";
import { createDatabase, dropDatabase } from "../../harness/postgres-databases.ts";
import type { RecordedStatements } from "../statements/recorded-statements.ts";
import { READS_ALL } from "../statements/whole-tables.ts";

/** Fills the largest tables with rows without telling the planner about them. */
const FILL = `
  insert into content_leaf (item, path, position, key)
    select number, 1, 1, 'sfinal' from generate_series(1, 100000) as number;
  insert into content_value (path, visibility, value, sort_time, id, item)
    select 1, 1, 'sfinal', number, number, number from generate_series(1, 100000) as number;
  insert into content_word (item, word, collection, visibility)
    select number, 'final', 1, 1 from generate_series(1, 100000) as number;
`;

/**
 * Adds a test after those of a file: PostgreSQL finds what their statements ask for by an index, also in a database
 * of which it knows nothing.
 */
export function testPostgresPlans(statements: RecordedStatements): void {
  test("no statement reads a whole table", async () => {
    const { name, url } = await createDatabase("empty");
    const client = new pg.Client(readSettings({ engine: "postgres", url }).toConfig());
    await client.connect();
    await client.query(FILL);
    const wrong: string[] = [];
    const texts = new Set([...statements.values()].flatMap((own) => [...own]));
    for (const text of texts) {
      if (!/^\s*(select|insert|update|delete|with)\b/i.test(text)) continue;
      const line = text.replaceAll(/\s+/g, " ");
      if (READS_ALL.some((pattern) => pattern.test(line))) continue;
      const plan = await explain(client, text);
      const scans = plan.filter((step) => /(Seq Scan on|Hash Join|Merge Join)/.test(step));
      if (scans.length > 0) wrong.push([line, ...plan].join("\n"));
    }
    await client.end();
    await dropDatabase(name);
    expect(wrong).toEqual([]);
    expect(texts.size).toBeGreaterThan(500);
  });
}

/** Explains a statement without its values. */
async function explain(client: pg.Client, text: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly "QUERY PLAN": string }>(
    `explain (generic_plan, costs off) ${text}`,
  );
  return rows.map((row) => row["QUERY PLAN"]);
}
