import { expect, test } from "vitest";
import { withholdCredentials } from "../../../src/domain/base/text.ts";
import { readCpu } from "../../harness/cpu-time.ts";
import { expectWithin, MACHINE } from "../../harness/turns.ts";

test.each([
  ["page mqa_a-B_9 does not exist", "page mqa_… does not exist"],
  ["/ott/pages/v1/mqp_abc?x", "/ott/pages/v1/mqp_…?x"],
  ["mqv_abc and mqv_def", "mqv_… and mqv_…"],
  ["'whsec_ab+/cd=='", "'whsec_…'"],
  ["/whsec_ab%2Bcd", "/whsec_…"],
  ["https://ann:pass@a.example/b", "https://…@a.example/b"],
  ["postgres://ann@a.example", "postgres://…@a.example"],
  ["/https%3A%2f%2Fann%3Apass%40a.example", "/https%3A%2f%2F…%40a.example"],
  ["https://ann:pas…", "https://……"],
  ["eyJhbGciOiJFUzI1NiJ9.eyJzdWIi.c2ln is", "… is"],
  [`${"a".repeat(43)}.1795531298.1.abc..d.s is`, "… is"],
])("%s: %s", (text, want) => {
  expect(withholdCredentials(text)).toBe(want);
});

test.each([
  "https://a.example/b@c?d=e@f",
  "event match-2026-104 does not exist",
  "a@b.example",
  "mqa_",
  "eyJ",
  "2026-06-11T18:00:00.123Z",
  "550e8400-e29b-41d4-a716-446655440000",
])("%s is no credential", (text) => {
  expect(withholdCredentials(text)).toBe(text);
});

test.each([":%2F%2F", "%3A%2F%2Fa", "://a", "://", "eyJ", "mqa_", `${"a".repeat(43)}.1`, "-", "…"])(
  "the time grows with the length of a text of %s",
  (part) => {
    const text = part.repeat(65_536 / part.length);
    const start = readCpu();
    withholdCredentials(text);
    expectWithin(readCpu() - start, 20 * MACHINE);
  },
);
