import { describe, expect, test } from "vitest";
import { chooseCoding } from "../../../src/http/listener/content-coding.ts";

describe("the coding that a caller likes best", () => {
  test.each<[string | undefined, string]>([
    [undefined, "identity"],
    ["", "identity"],
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP", "gzip"],
    ["br;q=0.5, gzip", "gzip"],
    ["br;q=0.5, gzip;q=0.5", "br"],
    ["br ; q=0.1 , gzip ; q=0.2", "gzip"],
    ["br;q=0", "identity"],
    ["br;q=0, gzip;q=0.001", "gzip"],
    ["gzip;q=0.5, identity", "identity"],
    ["gzip, identity", "gzip"],
    ["gzip;q=0.5, identity;q=0.4", "gzip"],
    ["*", "br"],
    ["*;q=0.5, gzip", "gzip"],
    ["br;q=0, *", "gzip"],
    ["gzip;q=0, br;q=0", "identity"],
    ["identity;q=0, *;q=0", "identity"],
    ["deflate, zstd", "identity"],
    ["gzip;q=x", "identity"],
    [",,;q=1,gzip", "gzip"],
  ])("of '%s' is %s", (header, want) => {
    expect(chooseCoding(header)).toBe(want);
  });
});
