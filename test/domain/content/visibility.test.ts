import { describe, expect, test } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { listedVisibilities } from "../../../src/domain/content/visibility.ts";

describe("the visibilities of a key (contract: delivery 6)", () => {
  test("a public key sees what is published", () => {
    expect(listedVisibilities("public")).toEqual([Visibility.PUBLISHED]);
  });

  test("a preview key sees everything", () => {
    const all = Object.values(Visibility).filter((it) => typeof it === "number");
    expect([...listedVisibilities("preview")].sort()).toEqual([...all].sort());
  });
});
