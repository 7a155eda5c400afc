import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";

const FIXTURES = new URL("../fixtures/", import.meta.url);

/** Reads a data file of `test/fixtures`, a JSON value a line. */
export function readLines<Line>(name: string): readonly Line[] {
  const lines = readFileSync(new URL(`${name}.ndjson`, FIXTURES), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): Line => JSON.parse(line));
}

/**
 * Opens a data file of tables: a line that is a text names a table, the lists below it are its rows.
 * A cell that is null is undefined.
 *
 * The function that it returns defines a test for each row of a table, named by the table and the
 * row's first cell. A table that no test reads fails the file.
 */
export function openCases(name: string) {
  const tables = new Map<string, unknown[][]>();
  let rows: unknown[][] = [];
  for (const line of readLines<string | unknown[]>(name)) {
    if (typeof line !== "string") rows.push(line.map((cell) => cell ?? undefined));
    else {
      rows = [];
      tables.set(line, rows);
    }
  }
  const unread = new Set(tables.keys());
  afterAll(() => expect([...unread]).toEqual([]));
  return <Row extends readonly unknown[]>(
    table: string,
    check: (...row: Row) => void | Promise<void>,
  ): void => {
    if (!tables.has(table)) throw new Error(`${name} has no table '${table}'`);
    unread.delete(table);
    for (const row of tables.get(table) ?? []) {
      const cell = typeof row[0] === "string" ? row[0] : `${JSON.stringify(row[0])}`;
      test(`${table}: ${cell.slice(0, 80)}`, () => check(...(row as unknown as Row)));
    }
  };
}
