import { fromJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { GetPageRequestSchema } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { checkInput } from "../../../src/domain/messages/input-checks.ts";

const check = (session: object) => () =>
  checkInput(GetPageRequestSchema, fromJson(GetPageRequestSchema, { session: session as never }));
const list = (count: number) => Array.from({ length: count }, () => 1);
const keys = (count: number, length: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, it) => [String(it).padEnd(length, "x"), 1]));

/** What the limits of a session count (contract: limits 3), at the limit and one past it. */
for (const [name, most, tooMuch, reason] of [
  [
    "values of all keys together",
    { a: list(499), b: list(499) },
    { a: list(499), b: list(500) },
    "JSON_TOO_LARGE",
  ],
  ["members of objects", { a: { b: list(998) } }, { a: { b: list(999) } }, "JSON_TOO_LARGE"],
  [
    "characters of texts and keys inside",
    { a: { b: "x".repeat(65_535) } },
    { a: { b: "x".repeat(65_536) } },
    "JSON_TOO_LARGE",
  ],
  [
    "characters, but not of its own keys",
    { aa: "x".repeat(65_536) },
    { aa: "x".repeat(65_537) },
    "JSON_TOO_LARGE",
  ],
  ["keys", keys(100, 256), keys(101, 1), "TOO_MANY_ITEMS"],
  ["characters of a key", keys(1, 256), keys(1, 257), "FIELD_TOO_LONG"],
] as const) {
  test(`a session is limited in ${name}`, () => {
    expect(check(most)).not.toThrow();
    expect(check(tooMuch)).toThrow(expect.objectContaining({ reason }));
  });
}
