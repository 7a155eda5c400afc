import { isIPv6 } from "node:net";
import { expect, test } from "vitest";
import { Code } from "../../src/domain/base/errors.ts";
import { checkTarget, isPublicAddress } from "../../src/outbox/target.ts";
import { openCases, readLines } from "../harness/cases.ts";
import { errorOf } from "../harness/rejection.ts";

const each = openCases("outbox/target");

const NAMES = new Map<number, string>(Object.entries(Code).map(([name, code]) => [code, name]));

/** Returns the URL of a target, or the code and reason of its rejection. */
function check(url: string, allowPrivate: boolean): string {
  const error = errorOf(() => checkTarget(url, { allowPrivate }));
  if (error === undefined) return checkTarget(url, { allowPrivate }).href;
  return `${NAMES.get(error.code)} ${error.reason}`;
}

const toUrl = (address: string) =>
  `https://${isIPv6(address) ? `[${address}]` : address}:8443/hook?a=b`;

test.each(readLines<[string, string]>("outbox/private-addresses"))(
  "the address %s is not public: %s",
  (address) => {
    expect(isPublicAddress(address)).toBe(false);
    expect(check(toUrl(address), false)).toBe("FAILED_PRECONDITION TARGET_NOT_ALLOWED");
    expect(check(toUrl(address), true)).toMatch(/^https:/);
  },
);

each<[string]>("a text that is no public address", (text) => {
  expect(isPublicAddress(text)).toBe(false);
});

test.each(readLines<[string]>("outbox/public-addresses"))("the address %s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
  expect(check(toUrl(address), false)).toBe(toUrl(address));
});

each<[string, string, string?]>("a target", (url, strict, lax = strict) => {
  expect([check(url, false), check(url, true)]).toEqual([strict, lax]);
});

test("a target has at most 2,048 characters", () => {
  const longest = `https://hooks.example/${"a".repeat(2_048 - 22)}`;
  expect(check(longest, false)).toBe(longest);
  for (const allowPrivate of [false, true]) {
    expect(check(`${longest}a`, allowPrivate)).toBe("INVALID_ARGUMENT TARGET_INVALID");
  }
});

test("a target is not repeated in the error, since it may hold a key", () => {
  expect(() => checkTarget("http://hooks.example/?key=secret", { allowPrivate: false })).toThrow(
    /^target not allowed: must be https; for development, --actions-allow-private allows it$/,
  );
});
