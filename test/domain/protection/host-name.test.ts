import { describe, expect, test } from "vitest";
import { isHostName } from "../../../src/domain/protection/ruleset.ts";

const LABEL = "a".repeat(63);

describe("a host name", () => {
  test.each([
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
  ])("%s", (name) => {
    expect(isHostName(name)).toBe(true);
  });

  test.each([
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
  ])("%s", (name) => {
    expect(isHostName(name)).toBe(false);
  });
});
