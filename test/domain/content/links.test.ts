import { describe, expect, test } from "vitest";
import { isHttpUrl, isSitePath } from "../../../src/domain/content/links.ts";

describe("links", () => {
  for (const [text, want] of [
    ["https://media.example/a.jpg", "url"],
    ["HTTP://[::1]:8080/a?b#c", "url"],
    ["/", "path"],
    ["/match?id=1#top", "path"],
    ["/näher", "path"],
    ["", "neither"],
    ["match", "neither"],
    ["//shop.example/a", "neither"],
    ["/\\shop.example/a", "neither"],
    ["/a b", "neither"],
    ["/a\u0000", "neither"],
    ["https:a.jpg", "neither"],
    ["https://", "neither"],
    ["https://a b/", "neither"],
    [" https://a.example/", "neither"],
    ["https://a.example/\n", "neither"],
    ["javascript:alert(1)", "neither"],
    ["data:text/html,a", "neither"],
    ["ftp://a.example/", "neither"],
  ] as const) {
    test(`${JSON.stringify(text)} is ${want}`, () => {
      expect([isHttpUrl(text), isSitePath(text)]).toEqual([want === "url", want === "path"]);
    });
  }
});
