import { isIPv6 } from "node:net";
import { describe, expect, test } from "vitest";
import { Code, DomainError } from "../../src/domain/errors.ts";
import { checkTarget, isPublicAddress } from "../../src/outbox/target.ts";
import { openCases } from "../harness/cases.ts";
import { PRIVATE_ADDRESSES, PUBLIC_ADDRESSES } from "./addresses.ts";

const each = openCases("outbox/target");

const NOT_ALLOWED = "FAILED_PRECONDITION TARGET_NOT_ALLOWED";
const INVALID = "INVALID_ARGUMENT TARGET_INVALID";
const NAMES = new Map<number, string>(Object.entries(Code).map(([name, code]) => [code, name]));

function check(url: string, allowPrivate: boolean): string {
  try {
    return checkTarget(url, { allowPrivate }).href;
  } catch (fault) {
    if (!(fault instanceof DomainError)) throw fault;
    return `${NAMES.get(fault.code)} ${fault.reason}`;
  }
}

const toUrl = (address: string) =>
  `https://${isIPv6(address) ? `[${address}]` : address}:8443/hook?a=b`;

describe("an address is not public", () => {
  test.each(PRIVATE_ADDRESSES)("%s, %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
    expect(check(toUrl(address), false)).toBe(NOT_ALLOWED);
    expect(check(toUrl(address), true)).toMatch(/^https:/);
  });

  each<[string]>("an address is not public", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

describe("an address is public", () => {
  for (const address of PUBLIC_ADDRESSES) {
    test(address, () => {
      expect(isPublicAddress(address)).toBe(true);
      expect(check(toUrl(address), false)).toBe(toUrl(address));
    });
  }
});

describe("a target", () => {
  const longest = `https://hooks.example/${"a".repeat(2_048 - 22)}`;

  test.each<[url: string, strict: string, lax?: string]>([
    ["https://hooks.example/a?b=c", "https://hooks.example/a?b=c"],
    ["HTTPS://Hooks.Example", "https://hooks.example/"],
    ["https://hooks.example.:8443/", "https://hooks.example.:8443/"],
    ["https://münchen.example/ä", "https://xn--mnchen-3ya.example/%C3%A4"],
    ["https://hooks.example/a@b:c", "https://hooks.example/a@b:c"],
    ["https://notlocalhost/", "https://notlocalhost/"],
    ["https://local.example/", "https://local.example/"],
    [longest, longest],
    [`${longest}a`, INVALID],
    ["http://hooks.example/", NOT_ALLOWED, "http://hooks.example/"],
    ["http://127.0.0.1:8080/", NOT_ALLOWED, "http://127.0.0.1:8080/"],
    ["https://localhost/", NOT_ALLOWED, "https://localhost/"],
    ["https://LOCALHOST.:1/", NOT_ALLOWED, "https://localhost.:1/"],
    ["https://localhost../", NOT_ALLOWED, "https://localhost../"],
    ["https://a.localhost/", NOT_ALLOWED, "https://a.localhost/"],
    ["https://printer.local/", NOT_ALLOWED, "https://printer.local/"],
    ["https://printer.local./", NOT_ALLOWED, "https://printer.local./"],
    ["https://metadata.google.internal/", NOT_ALLOWED, "https://metadata.google.internal/"],
    ["https://internal/", NOT_ALLOWED, "https://internal/"],
    ["https://2130706433/", NOT_ALLOWED, "https://127.0.0.1/"],
    ["https://0x7f.1/", NOT_ALLOWED, "https://127.0.0.1/"],
    ["https://0177.0.0.1/", NOT_ALLOWED, "https://127.0.0.1/"],
    ["https://127.0.0.1./", NOT_ALLOWED, "https://127.0.0.1/"],
    ["https://①②⑦.0.0.1/", NOT_ALLOWED, "https://127.0.0.1/"],
    ["https://%31%32%37.0.0.1/", NOT_ALLOWED, "https://127.0.0.1/"],
    ["https://[0:0:0:0:0:0:0:1]/", NOT_ALLOWED, "https://[::1]/"],
    ["", INVALID],
    ["/hook", INVALID],
    ["//hooks.example/", INVALID],
    ["https:hooks.example", INVALID],
    ["https:/hooks.example", INVALID],
    ["https://", INVALID],
    ["https:///hooks.example/", INVALID],
    ["https:\\\\hooks.example\\", INVALID],
    ["https://hooks.example\\@127.0.0.1/", INVALID],
    [" https://hooks.example/", INVALID],
    ["https://hooks.example/a b", INVALID],
    ["https://hooks.example/\n", INVALID],
    ["ht\ttps://hooks.example/", INVALID],
    ["ftp://hooks.example/", INVALID],
    ["file:///etc/passwd", INVALID],
    ["javascript:alert(1)", INVALID],
    ["https://hooks.example:65536/", INVALID],
    ["https://[fe80::1%25eth0]/", INVALID],
    ["https://user:password@hooks.example/", INVALID],
    ["https://user@hooks.example/", INVALID],
    ["https://@hooks.example/", INVALID],
    ["https://hooks.example/#", INVALID],
    ["https://hooks.example/#a", INVALID],
  ])("%s", (url, strict, lax = strict) => {
    expect(check(url, false)).toBe(strict);
    expect(check(url, true)).toBe(lax);
  });

  test("is not repeated in the fault, since it may hold a key", () => {
    expect(() => checkTarget("http://hooks.example/?key=secret", { allowPrivate: false })).toThrow(
      /^target not allowed: must be https$/,
    );
  });
});
