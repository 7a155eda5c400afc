import { expect, test } from "vitest";
import { ENVIRONMENTS } from "../../../../src/domain/pages/components/check.ts";
import {
  checkEnvironment,
  isForEnvironment,
} from "../../../../src/domain/pages/rendering/environment.ts";
import { openCases } from "../../../harness/cases.ts";
import { refusal } from "../../../harness/refusal.ts";
import { createComponent } from "../components/members.ts";

const each = openCases("pages/rendering/environment");

test("the seven environments and none are known", () => {
  for (const name of [...ENVIRONMENTS, ""]) expect(() => checkEnvironment(name)).not.toThrow();
});

test.each(["Web", "web ", "desktop", "android tv", "*"])("'%s' is unknown", (name) => {
  expect(() => checkEnvironment(name)).toThrow(
    refusal("ENVIRONMENT_UNKNOWN", undefined, {
      fields: [expect.objectContaining({ field: "environment" })],
    }),
  );
});

each<[readonly string[], string, boolean]>(
  "a component is rendered for an environment",
  (environments, environment, want) => {
    const component = createComponent("text", {}, { environments });
    expect(isForEnvironment(component, environment)).toBe(want);
  },
);
