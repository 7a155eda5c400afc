import { expect, test } from "vitest";
import { composeFilter } from "../../src/domain/kql/index.ts";
import { applySession } from "../../src/domain/pages/additional-filters.ts";
import { createScope } from "../../src/domain/variables/index.ts";

test("the pure functions are what clients import by the package's name", async () => {
  const name = "marquee";
  const filters = await import(`${name}/additional-filters`);
  const kql = await import(`${name}/kql`);
  const variables = await import(`${name}/variables`);
  expect(filters.applySession).toBe(applySession);
  expect(kql.composeFilter).toBe(composeFilter);
  expect(variables.createScope).toBe(createScope);
});
