import { readFileSync } from "node:fs";
import { notFound } from "../src/domain/base/errors.ts";
import { toTag } from "../src/http/listener/content-coding.ts";
import type { Endpoint } from "../src/http/listener/exchange.ts";
import type { PathEndpoint } from "../src/server/endpoints.ts";
import { PICTURE_PATH } from "./ids.ts";

/** The pictures that the records of the demo name, as SVG by id and shape: `match-esp-arg 16:9`. */
const FILE = new URL("./pictures.json", import.meta.url);

const HEADERS = {
  "content-type": "image/svg+xml",
  "cache-control": "public, max-age=86400",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
};

/** Creates the endpoint of `GET /demo/picture.svg?id=match-esp-arg&shape=16:9`; NOT_FOUND for another id or shape. */
export function openPictures(): PathEndpoint {
  const pictures: Readonly<Record<string, string>> = JSON.parse(readFileSync(FILE, "utf8"));
  const endpoint: Endpoint = ({ query }) => {
    const parameters = new URLSearchParams(query);
    const name = `${parameters.get("id")} ${parameters.get("shape") ?? "16:9"}`;
    if (!Object.hasOwn(pictures, name)) throw notFound("picture", name);
    const body = Buffer.from(pictures[name] ?? "");
    return { status: 200, headers: { ...HEADERS, etag: toTag(body) }, body };
  };
  return [PICTURE_PATH, endpoint];
}
