import { describe, expect, test } from "vitest";
import { openPictures } from "../../demo/picture-endpoint.ts";
import { reasonOf, send } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee({ endpoints: [openPictures()] });
const get = (query: string, headers: Record<string, string> = {}) =>
  send("GET", `${marquee.url}/demo/picture.svg?${query}`, { headers });

describe("the pictures of the demo", () => {
  test("are served to browsers of any site, the same each time, and 304 to a cache that has it", async () => {
    const query = "id=match-esp-arg&shape=16:9";
    const first = await get(query);
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(first.headers.get("cache-control")).toBe("public, max-age=86400");
    expect(first.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(first.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(first.text).toContain(">ESP</text>");
    const again = await get(query, { "if-none-match": first.headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
  });

  test("are 16:9 without a shape", async () => {
    expect((await get("id=match-esp-arg")).text).toContain('viewBox="0 0 640 360"');
  });

  test.each([
    "",
    "id=match-esp-arg&shape=3:2",
    "id=match-xxx-yyy&shape=16:9",
    "id=toString",
    "id=__proto__&shape=",
  ])("with another id or shape are not found: %s", async (query) => {
    const got = await get(query);
    expect([got.status, reasonOf(got)]).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });

  test("do not exist without the demo", async () => {
    const server = await startOver(marquee.store, { runsActions: false });
    const got = await send("GET", `${server.studioUrl}/demo/picture.svg?id=team-esp`);
    expect(got.status).toBe(404);
    await server.close(1_000);
  });
});
