import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { drawPicture, type PictureShape, printPictures } from "../../demo/data/picture.ts";
import { ROOT } from "../harness/process.ts";

const read = (name: string) => readFileSync(`${ROOT}demo/${name}`, "utf8");
const PICTURES: Readonly<Record<string, string>> = JSON.parse(read("pictures.json"));

const SIZES: readonly (readonly [PictureShape, string])[] = [
  ["16:9", "0 0 640 360"],
  ["2:3", "0 0 400 600"],
  ["1:1", "0 0 400 400"],
  ["21:9", "0 0 1050 450"],
];

describe("the pictures of the demo", () => {
  test("are the ones that `npm run demo` draws for the records", () => {
    expect(read("pictures.json")).toBe(printPictures(read("demo.ndjson")));
  });

  test("are small, and of elements and attributes that are closed", () => {
    expect(Object.keys(PICTURES).length).toBeGreaterThan(1_000);
    for (const [name, svg] of Object.entries(PICTURES)) {
      expect(Buffer.byteLength(svg), name).toBeLessThan(1_500);
      expect(svg, name).not.toMatch(/undefined|NaN|href|fill=""/);
      // Without its elements and texts nothing is left.
      const rest = svg.replace(/<\/?[a-zA-Z]+(?: [a-z0-9A-Z-]+="[^"<>]*")*\/?>/g, "");
      expect(rest, name).toMatch(/^[A-Z0-9 ]*\n$/);
    }
  });

  test.each(SIZES)("have the shape %s", (shape, viewBox) => {
    expect(drawPicture("match-esp-arg", shape)).toContain(`viewBox="${viewBox}"`);
  });

  test("of teams with the same first color differ", () => {
    const colors = (svg: string) => [...svg.matchAll(/fill="(#\w+)"/g)].map(([, color]) => color);
    const [home, , , away] = colors(drawPicture("match-esp-mar", "16:9"));
    expect(home).not.toBe(away);
  });
});
