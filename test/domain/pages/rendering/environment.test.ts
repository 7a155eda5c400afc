import { describe, expect, test } from "vitest";
import { ENVIRONMENTS } from "../../../../src/domain/pages/components/check.ts";
import {
  checkEnvironment,
  isForEnvironment,
} from "../../../../src/domain/pages/rendering/environment.ts";
import { createComponent } from "../components/members.ts";

test("the seven environments and none are known", () => {
  for (const name of [...ENVIRONMENTS, ""]) expect(() => checkEnvironment(name)).not.toThrow();
});

for (const name of ["Web", "web ", "desktop", "android tv", "*"]) {
  test(`'${name}' is unknown`, () => {
    expect(() => checkEnvironment(name)).toThrow(
      expect.objectContaining({
        reason: "ENVIRONMENT_UNKNOWN",
        fields: [expect.objectContaining({ field: "environment" })],
      }),
    );
  });
}

describe("a component is rendered", () => {
  const cases: readonly (readonly [readonly string[], string, boolean])[] = [
    [[], "", true],
    [[], "tvos", true],
    [["web", "ios"], "ios", true],
    [["web", "ios"], "", true],
    [["web", "ios"], "android", false],
    [["androidtv"], "android", false],
  ];
  for (const [environments, environment, want] of cases) {
    test(`for [${environments}] in '${environment}': ${want}`, () => {
      const component = createComponent("text", {}, { environments });
      expect(isForEnvironment(component, environment)).toBe(want);
    });
  }
});
