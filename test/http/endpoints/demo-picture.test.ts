import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { drawPicture, type PictureShape } from "../../../src/http/endpoints/demo-picture.ts";
import { reasonOf, send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { ROOT } from "../../harness/process.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const marquee = await useMarquee({ demoPictures: true });
const get = (query: string, headers: Record<string, string> = {}) =>
  send("GET", `${marquee.url}/demo/picture.svg?${query}`, { headers });

/** The query of every picture in the demo's file. */
const PICTURES = new Set(
  Array.from(
    readFileSync(`${ROOT}demo/demo.ndjson`, "utf8").matchAll(/\/demo\/picture\.svg\?([^"]*)/g),
    ([, query = ""]) => query,
  ),
);

const SIZES: readonly (readonly [PictureShape, string])[] = [
  ["16:9", "0 0 640 360"],
  ["2:3", "0 0 400 600"],
  ["1:1", "0 0 400 400"],
  ["21:9", "0 0 1050 450"],
];

describe("the pictures of the demo", () => {
  test("are all drawn, small and of elements and attributes that are closed", () => {
    expect(PICTURES.size).toBeGreaterThan(1_000);
    for (const query of PICTURES) {
      const parameters = new URLSearchParams(query);
      const [id, shape] = [parameters.get("id") ?? "", parameters.get("shape") ?? ""];
      const svg = drawPicture(id, shape as PictureShape);
      expect(Buffer.byteLength(svg), id).toBeLessThan(1_500);
      expect(svg, id).not.toMatch(/undefined|NaN|href|fill=""/);
      // Without its elements and texts nothing is left.
      const rest = svg.replace(/<\/?[a-zA-Z]+(?: [a-z0-9A-Z-]+="[^"<>]*")*\/?>/g, "");
      expect(rest, id).toMatch(/^[A-Z0-9 ]*\n$/);
    }
  });

  test("are served to browsers of any site, the same each time, and 304 to a cache that has it", async () => {
    const query = "id=match-esp-arg&shape=16:9";
    const first = await get(query);
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(first.headers.get("cache-control")).toBe("public, max-age=86400");
    expect(first.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(first.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(first.text).toContain(">ESP</text>");
    expect(first.text).toBe(drawPicture("match-esp-arg", "16:9"));
    const again = await get(query, { "if-none-match": first.headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
  });

  test.each(SIZES)("have the shape %s", async (shape, viewBox) => {
    const { text } = await get(`id=match-esp-arg&shape=${shape}`);
    expect(text).toContain(`viewBox="${viewBox}"`);
  });

  test("are 16:9 without a shape", async () => {
    expect((await get("id=team-esp")).text).toBe(drawPicture("team-esp", "16:9"));
  });

  test.each([
    ["a", 200],
    [`a${"b".repeat(99)}`, 200],
    [`a${"b".repeat(100)}`, 400],
    ["", 400],
    ["a--b", 400],
    ["-a", 400],
    ["A", 400],
    ["%3Cscript%3E", 400],
    ["a&shape=16%3A9", 200],
    ["a&shape=3:2", 400],
    ["a&shape=toString", 400],
  ])("of the id %s: %i", async (id, want) => {
    const got = await get(`id=${id}`);
    expect(got.status).toBe(want);
    if (want === 400) expect(reasonOf(got)).toBe("PICTURE_INVALID");
  });

  test("of teams with the same first color differ", () => {
    const colors = (svg: string) => [...svg.matchAll(/fill="(#\w+)"/g)].map(([, color]) => color);
    const [home, , , away] = colors(drawPicture("match-esp-mar", "16:9"));
    expect(home).not.toBe(away);
  });

  test("do not exist without the demo", async () => {
    const server = await startOver(marquee.store, { runsActions: false });
    const got = await send("GET", `${server.studioUrl}/demo/picture.svg?id=team-esp`);
    expect(got.status).toBe(404);
    await server.close(1_000);
  });
});
