import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { checkPage } from "../../../src/domain/pages/page.ts";

const check = (init: object) => () => checkPage(create(PageSchema, { slug: "a", ...init }), "page");
const LONGEST = "a".repeat(200);

describe("a page's slug", () => {
  for (const slug of ["home", "2026", "a-b_c.d~e", "teams/esp", "a/b/c", LONGEST]) {
    test(`may be ${slug.slice(0, 30)}`, () => expect(check({ slug })).not.toThrow());
  }

  const wrong = ["", "/", "/a", "a/", "a//b", "A", "a b", "-a", ".a", "a/.", "a/../b", "ä", "a?b"];
  for (const slug of [...wrong, "a%2Fb", "a\n", `${LONGEST}a`]) {
    test(`is not ${JSON.stringify(slug).slice(0, 30)}`, () => {
      expect(check({ slug })).toThrow(
        expect.objectContaining({ reason: "SLUG_INVALID", metadata: { field: "page.slug" } }),
      );
    });
  }
});

describe("a page's parameters", () => {
  for (const parameters of [[], ["id"], ["id", "ID", "Q", "_a-1"], ["event", "constructor"]]) {
    test(`may be ${parameters.join(", ") || "none"}`, () => {
      expect(check({ parameters })).not.toThrow();
    });
  }

  for (const [parameters, index] of [
    [[""], 0],
    [["id", "1d"], 1],
    [["a.b"], 0],
    [["{id}"], 0],
    [["id "], 0],
    [["a", "b", "a"], 2],
    [["q"], 0],
    [["id", "q"], 1],
  ] as const) {
    test(`are not ${JSON.stringify(parameters)}`, () => {
      expect(check({ parameters })).toThrow(
        expect.objectContaining({
          reason: "PARAMETER_INVALID",
          metadata: { field: `page.parameters[${index}]` },
        }),
      );
    });
  }
});
