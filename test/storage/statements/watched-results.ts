import { afterAll, beforeAll } from "vitest";
import type { Db } from "../../../src/storage/db/db.ts";
import { compile, type Query } from "../../../src/storage/db/query.ts";
import { DATABASES } from "./recorded-statements.ts";

/** The result of a statement with the most bytes. */
export interface LargestResult {
  readonly bytes: number;
  readonly statement: string;
}

/** Watches the bytes that the statements of the tests of this file return. */
export function watchResults(): {
  readonly largest: LargestResult;
  /** The bytes of all results since the beginning. */
  readonly bytes: number;
  begin(): void;
} {
  const restore: (() => void)[] = [];
  let largest: LargestResult = { bytes: 0, statement: "" };
  let total = 0;
  beforeAll(() => {
    for (const [compiler, databases] of DATABASES) {
      for (const database of databases) {
        const { all } = database;
        const watched = async function (this: Db, query: Query, ...args: []) {
          const rows = await all.call(this, query, ...args);
          const bytes = rows.reduce<number>((sum, row) => sum + sizeOf(row as object), 0);
          total += bytes;
          if (bytes > largest.bytes) largest = { bytes, statement: compile(query, compiler).text };
          return rows;
        };
        Reflect.set(database, "all", watched);
        restore.push(() => Reflect.set(database, "all", all));
      }
    }
  });
  afterAll(() => {
    for (const undo of restore) undo();
  });
  return {
    get largest() {
      return largest;
    },
    get bytes() {
      return total;
    },
    begin() {
      total = 0;
      largest = { bytes: 0, statement: "" };
    },
  };
}

/** Returns the bytes of the documents in a row. */
function sizeOf(row: object): number {
  return Object.values(row).reduce<number>((sum, value) => {
    const isText = typeof value === "string" || value instanceof Uint8Array;
    return sum + (isText ? value.length : 0);
  }, 0);
}
