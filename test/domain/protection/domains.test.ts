import { describe, expect, test } from "vitest";
import { decide } from "../../../src/domain/protection/index.ts";
import { openCases } from "../../harness/cases.ts";
import { build, decideInShort, GROUPS } from "./build.ts";

const each = openCases("protection/domains");

const { allDomains, domains } = GROUPS;

describe("rule 8: a referrer", () => {
  each<[string, string | undefined, boolean]>("rule 8: a referrer", (listed, referrer, want) => {
    const got = decideInShort(domains(...listed.split(" ")), { referrer });
    expect(got).toBe(want ? "allow" : "DOMAIN_NOT_ALLOWED");
  });

  test.each([undefined, "https://evil.net/", "rubbish"])(
    "%s is allowed by an empty list, by allow_all_domains and by default",
    (referrer) => {
      for (const init of [domains(), allDomains(true), allDomains(false), {}]) {
        const got = decide(build(init), { referrer });
        expect(got).toMatchObject({ kind: "allow", inputs: [] });
      }
    },
  );

  test("takes part when there is a list, sent or not", () => {
    for (const referrer of [undefined, "https://example.com/", "https://evil.net/"]) {
      const got = decide(build(domains("example.com")), { referrer });
      expect(got).toMatchObject({ inputs: ["referrer"] });
    }
  });
});
