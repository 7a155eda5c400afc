import { describe, expect, test } from "vitest";
import { checkAudiences } from "../../../src/domain/access/audiences.ts";
import { openCases } from "../../harness/cases.ts";
import { readCpu } from "../../harness/cpu-time.ts";
import { rejection } from "../../harness/rejection.ts";
import { expectWithin, MACHINE } from "../../harness/turns.ts";

const each = openCases("access/audiences");

each<[readonly string[], string]>(
  "the audiences of a sign-in integration (contract: sign-in 1)",
  (audiences, description) => {
    expect(() => checkAudiences(audiences, "audiences")).toThrow(
      rejection("AUDIENCES_INVALID", undefined, { fields: [{ field: "audiences", description }] }),
    );
  },
);

describe("the audiences of a sign-in integration (contract: sign-in 1)", () => {
  const allowed = [["web"], ["web", "Web", "web "], ["ü", "u\u0308"], ["https://a.example/x?y=z"]];
  for (const audiences of allowed) {
    test(`${JSON.stringify(audiences)} are allowed`, () => {
      expect(() => checkAudiences(audiences, "audiences")).not.toThrow();
    });
  }

  test("a list as long as a request may be is checked in a moment", () => {
    const audiences = Array.from({ length: 300_000 }, (_, index) => `audience ${index}`);
    const start = readCpu();
    checkAudiences(audiences, "audiences");
    expectWithin(readCpu() - start, 600 * MACHINE);
  });
});
