import { expect, test } from "vitest";
import {
  checkEnvironment,
  ENVIRONMENTS,
  isForEnvironment,
} from "../../../../src/domain/pages/components/environment.ts";
import { openCases } from "../../../harness/cases.ts";
import { rejection } from "../../../harness/rejection.ts";
import { createComponent } from "./members.ts";

const each = openCases("pages/rendering/environment");

test("the seven environments are known", () => {
  for (const name of ENVIRONMENTS) {
    expect(() => checkEnvironment(name, "environment")).not.toThrow();
  }
});

test.each(["Web", "web ", "desktop", "android tv", "*"])("'%s' is unknown", (name) => {
  expect(() => checkEnvironment(name, "environment")).toThrow(
    rejection("ENVIRONMENT_UNKNOWN", undefined, {
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
