import { afterAll, beforeAll } from "vitest";
import type { Db, Tx } from "../../../src/storage/db/db.ts";
import { compile, type EngineCompiler, type Query } from "../../../src/storage/db/query.ts";
import { PostgresPool } from "../../../src/storage/postgres/postgres-pool.ts";
import { PostgresReads } from "../../../src/storage/postgres/postgres-reads.ts";
import { PostgresTransaction } from "../../../src/storage/postgres/postgres-transaction.ts";
import { POSTGRES_COMPILER } from "../../../src/storage/postgres/query-compiler.ts";
import {
  SQLITE_COMPILER,
  SqliteReader,
  SqliteTransaction,
} from "../../../src/storage/sqlite/sqlite-db.ts";
import { SqliteWriter } from "../../../src/storage/sqlite/sqlite-writer.ts";
import { QUERY_METHODS } from "./query-calls.ts";

/** The texts of statements by the place in the source that ran them: file, line and column. */
export type RecordedStatements = ReadonlyMap<string, ReadonlySet<string>>;

/** Passes on the queries of its callers. */
const WATCH = "src/storage/sql/base/write-watch.ts";

/** The databases of each engine, by their prototypes. */
export const DATABASES: readonly (readonly [EngineCompiler, readonly (Db | Tx)[]])[] = [
  [SQLITE_COMPILER, [SqliteReader.prototype, SqliteTransaction.prototype, SqliteWriter.prototype]],
  [
    POSTGRES_COMPILER,
    [PostgresPool.prototype, PostgresReads.prototype, PostgresTransaction.prototype],
  ],
];

/** The calls of a place whose statements are recorded. */
const MOST_CALLS = 50;

/** Records the statements that the tests of this file run. */
export function recordStatements(): RecordedStatements {
  const statements = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  const restore: (() => void)[] = [];
  const record = (
    database: Db,
    method: (typeof QUERY_METHODS)[number],
    compiler: EngineCompiler,
  ) => {
    const run: unknown = Reflect.get(database, method);
    if (typeof run !== "function") return;
    const recorded = function (this: Db, query: Query, ...args: unknown[]) {
      const place = findCaller(recorded);
      const calls = counts.get(place) ?? 0;
      counts.set(place, calls + 1);
      if (calls < MOST_CALLS) {
        const texts = statements.get(place) ?? new Set();
        statements.set(place, texts.add(compile(query, compiler).text));
      }
      return run.call(this, query, ...args);
    };
    Reflect.set(database, method, recorded);
    restore.push(() => Reflect.set(database, method, run));
  };
  beforeAll(() => {
    for (const [compiler, databases] of DATABASES) {
      for (const database of databases) {
        for (const method of QUERY_METHODS) record(database, method, compiler);
      }
    }
  });
  afterAll(() => {
    for (const undo of restore) undo();
  });
  return statements;
}

/** The places in the source that were found, by the frames of the call in the compiled code. */
const places = new Map<string, string>();

/** Returns the place in the source that called a function. */
function findCaller(callee: (...args: never[]) => unknown): string {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 4;
  // To find the lines of the source takes far longer than the frames.
  Error.prepareStackTrace = printFrames;
  const frames = captureStack(callee);
  Error.prepareStackTrace = prepareStackTrace;
  const place = places.get(frames) ?? findPlace(captureStack(callee));
  Error.stackTraceLimit = stackTraceLimit;
  places.set(frames, place);
  return place;
}

function captureStack(callee: (...args: never[]) => unknown): string {
  const error = { stack: "" };
  Error.captureStackTrace(error, callee);
  return error.stack;
}

function printFrames(_error: Error, frames: readonly NodeJS.CallSite[]): string {
  return frames.map((it) => `${it.getFileName()}:${it.getPosition()}`).join(" ");
}

/** Returns the place of the first frame that does not pass on a query of its caller. */
function findPlace(stack: string): string {
  const found = stack.match(/(?:src|test)\/[^()\s]*/g) ?? [];
  return found.find((it) => !it.startsWith(WATCH)) ?? "";
}
