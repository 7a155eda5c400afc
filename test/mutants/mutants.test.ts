import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { countIn, parseMutants, readMutants } from "./mutants.ts";

describe("mutants", () => {
  const mutants = readMutants();

  test("apply to the source as it is, and name tests that exist", () => {
    const wrong = mutants.filter(({ file, find, replace, tests }) => {
      const count = existsSync(file) ? countIn(readFileSync(file, "utf8"), find) : 0;
      return count !== 1 || find === replace || !tests.every((it) => existsSync(it));
    });
    expect(wrong.map(({ name, file }) => `${file}: ${name}`)).toEqual([]);
  });

  test("have names of their own", () => {
    const names = mutants.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe("parseMutants", () => {
  test("reads a change of several lines and a reason to survive", () => {
    const text = [
      "# a sum is a difference",
      "src/sum.ts",
      "- return (",
      "-   a + b",
      "+ return (",
      "+   a - b",
      "test/a.test.ts test/b.test.ts",
      "survives: nobody adds",
    ].join("\n");
    expect(parseMutants(text, "x")).toEqual([
      {
        name: "a sum is a difference",
        file: "src/sum.ts",
        find: "return (\n  a + b",
        replace: "return (\n  a - b",
        tests: ["test/a.test.ts", "test/b.test.ts"],
        survives: "nobody adds",
      },
    ]);
  });

  test("names the file and line of what cannot be read", () => {
    const block = "# one\nsrc/a.ts\n- a\n+ b\ntest/a.test.ts";
    expect(() => parseMutants(`${block}\n\nno name\n- a`, "x.mutants")).toThrow("x.mutants:7");
  });
});
