import { expect, test } from "vitest";
import { toPrettyLine } from "../../src/log/pretty-line.ts";

const time = new Date(2026, 5, 1, 9, 8, 7, 6).getTime();
const BASE = { level: 30, time, pid: 7, hostname: "h" };

for (const [name, entry, want] of [
  [
    "text and members",
    { n: 1, s: "a b", u: "http://x/", msg: "started" },
    'INFO  started n=1 s="a b" u=http://x/',
  ],
  ["a level", { level: 40, msg: "late" }, "WARN  late"],
  ["another level", { level: 35, msg: "x" }, "35    x"],
  ["an object", { run: { id: "a" }, msg: "x" }, "INFO  x run={ id: 'a' }"],
  [
    "a request",
    {
      request_id: "r",
      method: "GET",
      path: "/a",
      status: 200,
      complete: true,
      duration_ms: 1.5,
      msg: "request",
    },
    "INFO  GET /a 200 1.5 ms request_id=r complete=true",
  ],
  [
    "escape sequences",
    { method: "GET", path: "/\u001b[2J", status: 404, duration_ms: 1, msg: "request" },
    "INFO  GET /\\x1b[2J 404 1 ms",
  ],
  [
    "an error",
    { level: 50, err: { message: "m", stack: "Error: m\n at x" }, msg: "failed" },
    "ERROR failed\n    Error: m\n     at x",
  ],
] as const) {
  test(`a line with ${name} is readable`, () => {
    const line = `${JSON.stringify({ ...BASE, ...entry })}\n`;
    expect(toPrettyLine(line, false)).toBe(`09:08:07.006 ${want}\n`);
  });
}

test("colors are only added", () => {
  const line = JSON.stringify({ ...BASE, n: 1, msg: "started" });
  const colored = toPrettyLine(line, true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors are escape sequences.
  expect(colored.replaceAll(/\u001b\[\d+m/g, "")).toBe(toPrettyLine(line, false));
  expect(colored).not.toBe(toPrettyLine(line, false));
});
