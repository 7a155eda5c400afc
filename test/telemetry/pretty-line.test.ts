import { expect, test } from "vitest";
import { toPrettyLine } from "../../src/telemetry/pretty-line.ts";
import { openCases } from "../harness/cases.ts";

const each = openCases("log/pretty-line");

const time = new Date(2026, 5, 1, 9, 8, 7, 6).getTime();
const BASE = { level: 30, time, pid: 7, hostname: "h" };

each<[string, object, string]>("a line is readable", (_name, entry, want) => {
  const line = `${JSON.stringify({ ...BASE, ...entry })}\n`;
  expect(toPrettyLine(line, false)).toBe(`09:08:07.006 ${want}\n`);
});

test("colors are only added", () => {
  const line = JSON.stringify({ ...BASE, n: 1, msg: "started" });
  const colored = toPrettyLine(line, true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors are escape sequences.
  expect(colored.replaceAll(/\u001b\[\d+m/g, "")).toBe(toPrettyLine(line, false));
  expect(colored).not.toBe(toPrettyLine(line, false));
});
