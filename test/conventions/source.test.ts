import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../harness/process.ts";
import { readFiles } from "./source-files.ts";

const SOURCES = readFiles("src", ".ts", ".sql", ".tsv");
const TESTS = readFiles("test", ".ts");
const PROTOS = readFiles("proto", ".proto");
const MODULES = SOURCES.filter((file) => file.path.endsWith(".ts"));
const ALL = [...SOURCES, ...TESTS, ...PROTOS];
const MARKS = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"];

describe("source files", () => {
  test("are found", () => {
    expect(MODULES.length).toBeGreaterThan(100);
    expect(PROTOS.length).toBeGreaterThan(20);
  });

  test("of tests are where the configuration of vitest names them", () => {
    const text = readFileSync(`${ROOT}vitest.config.ts`, "utf8");
    const patterns = Array.from(text.matchAll(/"(test\/[^"]+\.test\.ts)"/g), ([, it = ""]) => it);
    const named = patterns.flatMap((pattern) => {
      const [, start, names, end] = /^([^{]*)\{([^}]+)\}(.*)$/.exec(pattern) ?? [];
      return names === undefined ? [pattern] : names.split(",").map((it) => start + it + end);
    });
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((it) => globSync(it, { cwd: ROOT }).length === 0)).toEqual([]);
  });

  test("give both engines the same migrations", () => {
    const [sqlite, postgres] = ["sqlite", "postgres"].map((engine) =>
      readFiles(`src/storage/migrations/${engine}`, ".sql").map(({ path }) => basename(path)),
    );
    expect(sqlite).toEqual(postgres);
    expect(sqlite).not.toEqual([]);
  });

  test("are named in kebab-case, protos in snake_case", () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|contract))?\.(ts|tsv)$/;
    const wrong = [
      ...[...MODULES, ...TESTS].filter((file) => !kebab.test(basename(file.path))),
      ...PROTOS.filter((file) => !/^[a-z0-9]+(_[a-z0-9]+)*\.proto$/.test(basename(file.path))),
    ];
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("are not named after nothing", () => {
    const vague = /^(utils?|helpers?|managers?|common|misc|shared)\b/;
    expect(ALL.map((file) => file.path).filter((path) => vague.test(basename(path)))).toEqual([]);
  });

  test("put nothing off", () => {
    const later = new RegExp(`\\b(${MARKS.join("|")})\\b|\\bfor ${"now"}\\b`);
    expect(ALL.filter((file) => later.test(file.text)).map((file) => file.path)).toEqual([]);
  });

  test("export by name and silence no type", () => {
    const wrong = /^export default\b|@ts-(ignore|nocheck|expect-error)/m;
    expect(MODULES.filter((file) => wrong.test(file.text)).map((file) => file.path)).toEqual([]);
  });

  test("decode messages that were checked with the depth that the check allows", () => {
    const checked = MODULES.filter(({ path }) => /^src\/(?:api|storage)\//.test(path));
    const calls = checked.flatMap(({ path, text }) =>
      Array.from(text.matchAll(/\bfromBinary\((?!.*CHECKED_DEPTH\))/g), () => path),
    );
    expect(calls).toEqual([]);
  });

  test("say of every export what it is for", () => {
    const silent = MODULES.flatMap(({ path, text }) =>
      Array.from(
        text.matchAll(
          /(?<!\*\/\n)^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm,
        ),
        ([, name]) => `${path}: ${name}`,
      ),
    );
    expect(silent).toEqual([]);
  });
});
