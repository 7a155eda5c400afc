import { describe, expect, test } from "vitest";
import { checkAudiences } from "../../../src/domain/access/audiences.ts";
import { Code } from "../../../src/domain/errors.ts";

describe("the audiences of a sign-in integration (contract: sign-in 1)", () => {
  const allowed = [["web"], ["web", "Web", "web "], ["ü", "u\u0308"], ["https://a.example/x?y=z"]];
  for (const audiences of allowed) {
    test(`${JSON.stringify(audiences)} are allowed`, () => {
      expect(() => checkAudiences(audiences)).not.toThrow();
    });
  }

  const refused: readonly (readonly [readonly string[], string])[] = [
    [[], "must have at least one audience"],
    [[""], "must not hold a blank audience"],
    [["web", " "], "must not hold a blank audience"],
    [["web", "\t\n\u00a0\u3000"], "must not hold a blank audience"],
    [["a", "b", "a"], "must not repeat 'a'"],
    [["a", "b", "b", "a"], "must not repeat 'b'"],
  ];
  for (const [audiences, description] of refused) {
    test(`${JSON.stringify(audiences)}: ${description}`, () => {
      expect(() => checkAudiences(audiences)).toThrow(
        expect.objectContaining({
          code: Code.INVALID_ARGUMENT,
          reason: "AUDIENCES_INVALID",
          fields: [{ field: "audiences", description }],
        }),
      );
    });
  }

  test("a list as long as a request may be is checked in a moment", () => {
    const audiences = Array.from({ length: 300_000 }, (_, index) => `audience ${index}`);
    const start = process.cpuUsage();
    checkAudiences(audiences);
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });
});
