import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ENGINE } from "../../harness/engine.ts";
import { RUN_FOLDER } from "../../harness/folder.ts";
import { findQueryCalls, type QueryCall } from "./query-calls.ts";
import type { RecordedStatements } from "./recorded-statements.ts";
import { WITH_COLUMNS } from "./statement-columns.ts";

/** The files with statements that the other tests of this file do not run, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "src/storage/sql/base/write-watch.ts":
    "the probe of a full disk: test/storage/sqlite/full-disk.test.ts",
  ...(ENGINE === "postgres" && {
    "src/storage/postgres/bulk-mode.ts":
      "a bulk load is alone on its database: test/storage/postgres/open.test.ts",
  }),
};

const OTHER_ENGINE = ENGINE === "sqlite" ? "src/storage/postgres/" : "src/storage/sqlite/";

/** The statements whose columns can be asked for; the others define indexes and settings. */
const HAS_COLUMNS = /^\s*(select|insert|update|delete|with)\b/i;

/**
 * Adds tests after those of a file: together they run every statement in the source for this engine, each of which
 * returns the columns of its row type.
 */
export function testRowTypes(statements: RecordedStatements): void {
  describe("every statement in the source", () => {
    let calls: readonly QueryCall[];
    beforeAll(() => {
      calls = readQueryCalls().filter(({ place }) => !place.startsWith(OTHER_ENGINE));
    });

    test("is run by a test of the store", () => {
      const left = calls.filter(({ place }) => !statements.has(place)).map(({ place }) => place);
      const excused = Object.keys(NOT_RUN);
      expect(left.filter((place) => !excused.includes(place.replace(/:.*/, "")))).toEqual([]);
      expect(excused.filter((file) => !left.some((it) => it.startsWith(file)))).toEqual([]);
    });

    test("returns the columns of its row type", async () => {
      const wrong: object[] = [];
      await WITH_COLUMNS[ENGINE](async (columnsOf) => {
        for (const { place, columns = [] } of calls) {
          for (const text of statements.get(place) ?? []) {
            if (!HAS_COLUMNS.test(text)) continue;
            const returned = await columnsOf(text);
            const missing = columns.filter((it) => !returned.includes(it));
            if (missing.length > 0) wrong.push({ place, missing, text });
          }
        }
      });
      expect(wrong).toEqual([]);
    });
  });
}

/** Finds the calls once for both engines of a run: TypeScript takes seconds to do so. */
function readQueryCalls(): readonly QueryCall[] {
  const path = join(process.env[RUN_FOLDER] ?? "", "query-calls.json");
  if (!existsSync(path)) {
    writeFileSync(`${path}-${ENGINE}`, JSON.stringify(findQueryCalls()));
    renameSync(`${path}-${ENGINE}`, path);
  }
  return JSON.parse(readFileSync(path, "utf8"));
}
