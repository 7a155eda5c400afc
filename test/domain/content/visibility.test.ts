import { expect, test } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { listedVisibilities } from "../../../src/domain/content/visibility.ts";

test("a public key lists what is published, a preview key everything (contract: delivery 6)", () => {
  expect(listedVisibilities("public")).toEqual([Visibility.PUBLISHED]);
  const all = Object.values(Visibility).filter((it) => typeof it === "number");
  expect([...listedVisibilities("preview")].sort()).toEqual([...all].sort());
});
