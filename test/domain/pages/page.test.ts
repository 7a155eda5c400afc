import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { checkPage } from "../../../src/domain/pages/page.ts";
import { openCases } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";

const each = openCases("pages/page");

const check = (init: object) => () => checkPage(create(PageSchema, { slug: "a", ...init }), "page");
const LONGEST = "a".repeat(200);

describe("a page's slug", () => {
  test.each(["home", "2026", "a-b_c.d~e", "teams/esp", "a/b/c", LONGEST])("may be %s", (slug) => {
    expect(check({ slug })).not.toThrow();
  });

  const wrong = ["", "/", "/a", "a/", "a//b", "A", "a b", "-a", ".a", "a/.", "a/../b", "ä", "a?b"];
  test.each([...wrong, "a%2Fb", "a\n", `${LONGEST}a`])("is not %o", (slug) => {
    expect(check({ slug })).toThrow(rejection("SLUG_INVALID", "page.slug"));
  });
});

describe("a page's parameters", () => {
  for (const parameters of [[], ["id"], ["id", "ID", "Q", "_a-1"], ["event", "constructor"]]) {
    test(`may be ${parameters.join(", ") || "none"}`, () => {
      expect(check({ parameters })).not.toThrow();
    });
  }

  each<[readonly string[], number]>("a page's parameters are rejected", (parameters, index) => {
    expect(check({ parameters })).toThrow(
      rejection("PARAMETER_INVALID", `page.parameters[${index}]`),
    );
  });
});
