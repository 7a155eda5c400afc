import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { isManagement } from "../../src/domain/descriptors.ts";
import { type HttpAnswer, metadataOf, reasonOf, refusal } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { methodSamples } from "./method-samples.ts";
import { findMethods, procedureOf, toFaceRequests } from "./methods.ts";
import { blamedField, callRest } from "./studio.ts";

const marquee = await useMarquee();

const COMPONENT = "/ott/page_components/v2/text-home-notice";
const call = (method: string, path: string, body?: unknown, headers = {}) =>
  callRest(marquee, method, path.slice(1), body, headers);
const patch = (body: unknown, headers = {}) => call("PATCH", COMPONENT, body, headers);
const UPDATE = { page_component_update: { name: "n" }, update_mask: "name" };

/** The requests of management that need nothing to be made. */
const REST = (await findMethods()).flatMap((method) => {
  const { message } = methodSamples[procedureOf(method)] ?? {};
  if (typeof message !== "object" || !isManagement(method.parent)) return [];
  const [request] = toFaceRequests(method, message);
  return request ? [{ name: procedureOf(method), ...request }] : [];
});

test("every method of management has a path", () => {
  expect(new Set(REST.map(({ face }) => face))).toEqual(new Set(["REST"]));
  expect(REST.length).toBeGreaterThanOrEqual(12);
});

describe("answers", () => {
  for (const { name, method, path, body } of REST) {
    test(`${name} answers snake_case in JSON that no shared cache keeps`, async () => {
      const got = await call(method, path, body);
      expect(got.status).toBe(200);
      expect(got.headers.get("content-type")).toMatch(/^application\/json\b/);
      expect(got.headers.get("cache-control")).toContain("private");
      for (const key of keysOf(got.json)) expect(key).toMatch(/^[a-z0-9_-]+$|^[A-Z]{3}$/);
    });
  }

  test("every field without presence is written, its zero value too", async () => {
    const rail = (await patchRail({})).json.page_component.rail;
    expect(rail).toEqual({
      type: "BASE_TYPE_UNSPECIFIED",
      title: {},
      description: "",
      filter: "",
      additional_filters: {},
      search: "",
      additional_search: "",
      order: "",
      limit: 0,
      pinned: [],
      hide_by_default: false,
      exclude_geoblocked: false,
      show_on_unmatched_additional_filters: false,
    });
  });

  const patchRail = (rail: unknown) =>
    call("PATCH", "/ott/page_components/v2/rail-home-teams", {
      page_component_update: { rail },
      update_mask: "rail",
    });
});

describe("the type of a request's body", () => {
  const types = [
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON;charset=UTF-8",
  ];
  for (const type of [...types, 'application/json;charset="utf-8"']) {
    test(`${type} is taken`, async () => {
      expect((await patch(UPDATE, { "content-type": type })).status).toBe(200);
    });
  }

  test("may be left out", async () => {
    const got = await fetch(marquee.url + COMPONENT, {
      method: "PATCH",
      headers: { authorization: `Bearer ${marquee.tokens.owner}` },
      body: new TextEncoder().encode(JSON.stringify(UPDATE)),
    });
    expect(got.status).toBe(200);
  });

  const others = ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"];
  for (const type of [...others, "application/json-patch+json", "application/proto", "json"]) {
    test(`${type} is 415`, async () => {
      const got = await patch(UPDATE, { "content-type": type });
      expect([got.status, got.json.code]).toEqual([415, 3]);
      expect(reasonOf(got)).toBe("UNSUPPORTED_MEDIA_TYPE");
    });
  }
});

describe("a body that is not a JSON object", () => {
  test.each<[body: string | Uint8Array, reason: string, position: object]>([
    ["", "BODY_REQUIRED", {}],
    ["[]", "BODY_NOT_OBJECT", {}],
    ["{} {}", "JSON_SYNTAX", { line: "1", column: "4", offset: "3" }],
    ['{\n  "update_mask": name\n}', "JSON_SYNTAX", { line: "2", column: "18", offset: "19" }],
    ['{"update_mask":"name","update_mask":"type"}', "JSON_DUPLICATE_KEY", { offset: "22" }],
    [Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), "BODY_NOT_UTF8", {}],
  ])("%s: %s at %j", async (body, reason, position) => {
    const got = await patch(body);
    expect([got.status, got.json.code, reasonOf(got)]).toEqual([400, 3, reason]);
    expect(metadataOf(got) ?? {}).toMatchObject(position);
  });

  test("half of a surrogate pair is no text", async () => {
    const got = await patch('{"page_component_update":{"name":"\\ud800"},"update_mask":"name"}');
    expect([got.status, blamedField(got)]).toEqual([400, "page_component_update.name"]);
  });

  test("a body where none is taken is refused", async () => {
    // fetch sends no body with GET, so this one goes by hand.
    const status = await new Promise((resolve, reject) => {
      request(
        `${marquee.url}/monetization/transactions/v1`,
        {
          method: "GET",
          headers: { authorization: `Bearer ${marquee.tokens.owner}`, "content-length": 2 },
        },
        (response) => resolve(response.resume().statusCode),
      )
        .on("error", reject)
        .end("{}");
    });
    expect(status).toBe(400);
  });
});

describe("nesting", () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const body = (depth: number) =>
    `{"page_component_update":{"rail":{"card":${nested(depth - 3)}}},"update_mask":"name"}`;

  test("100 levels are read", async () => {
    expect((await patch(body(100))).status).toBe(200);
  });
  test("101 levels are refused with the position", async () => {
    const got = await patch(body(101));
    expect(refusal(got)).toEqual([400, "JSON_TOO_DEEP"]);
    expect(metadataOf(got)?.column).toMatch(/^\d+$/);
  });
});

describe("paths", () => {
  test("escapes are decoded, and %2F in a segment is data", async () => {
    const escaped = await call("PATCH", "/ott/page_components/v2/text%2Dhome%2dnotice", UPDATE);
    expect([escaped.status, escaped.json.page_component?.id]).toEqual([200, "text-home-notice"]);
    const slash = await call("PATCH", "/ott/page_components/v2/a%2Fb%20c%25", UPDATE);
    expect([slash.status, metadataOf(slash)?.ids]).toEqual([404, "a/b c%"]);
    const encodedLiteral = await call(
      "PATCH",
      "/o%74t/page_components/v2/text-home-notice",
      UPDATE,
    );
    expect(encodedLiteral.status).toBe(200);
  });

  test("a broken escape is refused", async () => {
    const got = await call("PATCH", "/ott/page_components/v2/%c3%28", UPDATE);
    expect([got.status, got.json.code, reasonOf(got)]).toEqual([400, 3, "PATH_MALFORMED"]);
  });

  for (const { name, method, path, body } of REST) {
    test(`${name} with a trailing slash, an empty segment or another case is 404`, async () => {
      const [bare = "", query] = path.split("?");
      const more = query === undefined ? "" : `?${query}`;
      for (const other of [`${bare}/`, bare.replace("/", "//"), `/x${bare}`, bare.toUpperCase()]) {
        const got = await call(method, other + more, body);
        expect([got.status, got.json.code, reasonOf(got)]).toEqual([404, 5, "PATH_UNKNOWN"]);
      }
    });
  }
});

describe("query parameters", () => {
  for (const { name, method, path, body } of REST) {
    const isFree = name.endsWith("UpdateSignInIntegration");
    test(`${name} ${isFree ? "ignores" : "refuses"} one that nobody knows`, async () => {
      const got = await call(method, `${path}${path.includes("?") ? "&" : "?"}nope=1`, body);
      if (isFree) return expect(got.status).toBe(200);
      expect(refusal(got)).toEqual([400, "QUERY_UNKNOWN"]);
      expect(blamedField(got)).toBe("nope");
    });
  }
});

function keysOf(json: HttpAnswer["json"]): string[] {
  if (Array.isArray(json)) return json.flatMap(keysOf);
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => [key, ...keysOf(value)]);
}
