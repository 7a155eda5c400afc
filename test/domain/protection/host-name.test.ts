import { describe, expect, test } from "vitest";
import { isHostName } from "../../../src/domain/protection/ruleset.ts";

const LABEL = "a".repeat(63);

describe("a host name", () => {
  const valid = [
    "example.com",
    "localhost",
    "a",
    "EXAMPLE.com",
    "sub.domain.example.co.uk",
    "xn--bcher-kva.example",
    "bücher.example",
    "例え.テスト",
    "1.example",
    "127.0.0.1",
    "a--b.c",
    LABEL,
    `${LABEL}.${LABEL}.${LABEL}.${"a".repeat(61)}`,
  ];
  for (const name of valid) {
    test(`${name.slice(0, 60)} (${name.length}) is one`, () => expect(isHostName(name)).toBe(true));
  }

  const invalid = [
    "",
    ".",
    " ",
    "example.com.",
    ".example.com",
    "a..b",
    "-a.example",
    "a-.example",
    "-",
    "a_b.example",
    "*.example.com",
    "https://example.com",
    "//example.com",
    "example.com/",
    "example.com/path",
    "example.com:8080",
    "user@example.com",
    "example.com?x",
    "example.com#x",
    "exam ple.com",
    " example.com",
    "example.com\n",
    "[::1]",
    "::1",
    "example%2ecom",
    "example\u3002com/",
    "a\u200db.example",
    `${LABEL}a`,
    `${LABEL}.${LABEL}.${LABEL}.${"a".repeat(62)}`,
  ];
  for (const name of invalid) {
    test(`${JSON.stringify(name.slice(0, 60))} (${name.length}) is none`, () => {
      expect(isHostName(name)).toBe(false);
    });
  }
});
