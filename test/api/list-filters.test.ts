import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../harness/http.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";

let marquee: Marquee;
beforeAll(async () => {
  marquee = await startMarquee();
});
afterAll(() => marquee.close());

async function list(path: string, filter: string) {
  const query = `project_id=worldcup&page_size=1000&filter=${encodeURIComponent(filter)}`;
  const { status, json } = await send("GET", `${marquee.url}${path}?${query}`, {
    token: marquee.tokens.owner,
  });
  return { status, ids: Object.values(json)[0] as readonly { id: string }[], json };
}

describe("a filter of a management list sees what the list answers", () => {
  const cases: readonly (readonly [string, string, string, unknown])[] = [
    ["an enum's zero value", "/ott/pages/v1", "object: PAGE_OBJECT_UNSPECIFIED", "home"],
    ["an empty text", "/annotations/annotations/v1", 'source_id: ""', ""],
    ["the number 0", "/monetization/offers/v1", "max_streams: 0", 0],
  ];
  for (const [what, path, filter, want] of cases) {
    test(what, async () => {
      const [field = ""] = filter.split(":");
      const { status, ids, json } = await list(path, filter);
      expect(status).toBe(200);
      expect(ids.length).toBeGreaterThan(0);
      const all = await list(path, "");
      expect(ids.length).toBeLessThanOrEqual(all.ids.length);
      if (field === "object") expect(JSON.stringify(json)).toContain(`"${want}"`);
      else for (const it of ids) expect(Reflect.get(it, field)).toBe(want);
    });
  }

  test("what has another value is left out", async () => {
    const { ids } = await list("/ott/pages/v1", "object: PAGE_OBJECT_EVENT");
    expect(ids.length).toBeGreaterThan(0);
    for (const it of ids) expect(it).toMatchObject({ object: "PAGE_OBJECT_EVENT" });
  });
});
