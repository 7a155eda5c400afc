import { describe, expect, test } from "vitest";
import { useMarquee } from "../../harness/use-marquee.ts";
import { readPages } from "../delivery.ts";
import { listPages } from "./pages.ts";

const marquee = await useMarquee();

describe("the list of pages", () => {
  const slugs = ["help", "highlights", "home", "match", "player", "search", "team"];
  for (const pageSize of [1, 2, 3, 100]) {
    test(`in pages of ${pageSize} holds all by slug`, async () => {
      const pages = await readPages((page) => listPages(marquee, page), "pages", pageSize);
      expect(pages.flat()).toEqual(slugs.map((slug) => `page-${slug}`));
      expect(pages.slice(0, -1).every((page) => page.length === pageSize)).toBe(true);
    });
  }
});
