import { readFileSync } from "node:fs";
import { notFound } from "../../domain/base/errors.ts";
import { toTag } from "../listener/content-coding.ts";
import type { Endpoint } from "../listener/exchange.ts";

/** The pictures that the records of the demo name, as SVG by id and shape: `match-esp-arg 16:9`. */
const FILE = new URL("../../../demo/pictures.json", import.meta.url);

const HEADERS = {
  "content-type": "image/svg+xml",
  "cache-control": "public, max-age=86400",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
};

/** Serves `GET /demo/picture.svg?id=match-esp-arg&shape=16:9`; NOT_FOUND for another id or shape. */
export function openDemoPictures(): Endpoint {
  const pictures: Readonly<Record<string, string>> = JSON.parse(readFileSync(FILE, "utf8"));
  return ({ query }) => {
    const parameters = new URLSearchParams(query);
    const name = `${parameters.get("id")} ${parameters.get("shape") ?? "16:9"}`;
    if (!Object.hasOwn(pictures, name)) throw notFound("picture", name);
    const body = Buffer.from(pictures[name] ?? "");
    return { status: 200, headers: { ...HEADERS, etag: toTag(body) }, body };
  };
}
