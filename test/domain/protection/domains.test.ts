import { describe, expect, test } from "vitest";
import { decide } from "../../../src/domain/protection/index.ts";
import { build, decideInShort, GROUPS } from "./build.ts";

const { allDomains, domains } = GROUPS;

/** Listed domains, the referrer, and whether it is allowed. */
const CASES: readonly (readonly [string, string | undefined, boolean])[] = [
  ["example.com", "https://example.com/", true],
  ["example.com", "https://example.com", true],
  ["example.com", "http://example.com/watch?v=1#t", true],
  ["example.com", "https://www.example.com/", true],
  ["example.com", "https://a.b.example.com/", true],
  ["example.com", "https://evilexample.com/", false],
  ["example.com", "https://example.com.evil.net/", false],
  ["example.com", "https://x.example.com.evil.net/", false],
  ["example.com", "https://example.org/", false],
  ["example.com", "https://com/", false],
  ["www.example.com", "https://example.com/", false],
  ["example.com", "https://evil.net/example.com", false],
  ["example.com", "https://evil.net/?https://example.com/", false],
  ["example.com", "https://evil.net/#.example.com", false],
  ["other.org example.com", "https://example.com/", true],
  ["com", "https://example.com/", true],

  ["example.com", "https://example.com./", true],
  ["example.com", "https://www.example.com.:8443/", true],
  ["example.com", "https://example.com../", false],
  ["example.com", "https://example.com:8443/", true],
  ["example.com", "https://EXAMPLE.Com/", true],
  ["EXAMPLE.Com", "https://example.com/", true],
  ["EXAMPLE.Com", "HTTPS://WWW.EXAMPLE.COM/", true],

  ["bücher.example", "https://xn--bcher-kva.example/", true],
  ["bücher.example", "https://BÜCHER.example/", true],
  ["xn--bcher-kva.example", "https://www.bücher.example/", true],
  ["bucher.example", "https://bücher.example/", false],
  ["example.com", "https://ехample.com/", false],
  ["example.com", "https://example\u3002com/", true],

  ["example.com", "https://example.com@evil.net/", false],
  ["example.com", "https://example.com:pass@evil.net/", false],
  ["example.com", "https://user:pass@example.com/", true],
  ["example.com", "https://evil.net\\@example.com/", false],
  ["example.com", "https://evil.net\\.example.com/", false],
  ["example.com", "https://example.com%2eevil.net/", false],

  ["127.0.0.1", "http://127.0.0.1:3000/", true],
  ["127.0.0.1", "http://2130706433/", true],
  ["0.0.1", "http://127.0.0.1/", false],
  ["1", "http://127.0.0.1/", false],
  ["localhost", "http://localhost:5173/", true],
  ["example.com", "http://[::1]/", false],
  ["example.com", "http://[::ffff:127.0.0.1]:80/", false],
  ["127.0.0.1", "http://[::ffff:127.0.0.1]/", false],
  ["999.999.999.999", "https://example.com/", false],
  ["999.999.999.999 example.com", "https://example.com/", true],

  ["example.com", undefined, true],
  ["example.com", "", true],
  ["example.com", "about:blank", true],
  ["example.com", "about:srcdoc", false],
  ["example.com", "example.com", false],
  ["example.com", "//example.com/", false],
  ["example.com", "/watch", false],
  ["example.com", "null", false],
  ["example.com", "https://", false],
  ["example.com", "https://exa mple.com/", false],
  ["example.com", "ftp://example.com/", false],
  ["example.com", "data:text/html,example.com", false],
  ["example.com", "javascript://example.com/", false],
  ["example.com", "android-app://example.com/", false],
  ["example.com", "file:///example.com", false],
];

describe("rule 8: a referrer", () => {
  for (const [listed, referrer, want] of CASES) {
    test(`${referrer} is ${want ? "allowed" : "denied"} by ${listed}`, () => {
      const got = decideInShort(domains(...listed.split(" ")), { referrer });
      expect(got).toBe(want ? "allow" : "DOMAIN_NOT_ALLOWED");
    });
  }

  for (const referrer of [undefined, "https://evil.net/", "rubbish"]) {
    test(`${referrer} is allowed by an empty list, by allow_all_domains and by default`, () => {
      for (const init of [domains(), allDomains(true), allDomains(false), {}]) {
        const got = decide(build(init), { referrer });
        expect(got).toMatchObject({ kind: "allow", inputs: [] });
      }
    });
  }

  test("takes part when there is a list, sent or not", () => {
    for (const referrer of [undefined, "https://example.com/", "https://evil.net/"]) {
      const got = decide(build(domains("example.com")), { referrer });
      expect(got).toMatchObject({ inputs: ["referrer"] });
    }
  });
});
