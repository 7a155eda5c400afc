import { describe, expect, test } from "vitest";
import { isStudioService } from "../../src/domain/base/descriptors.ts";
import { type HttpResponse, metadataOf, reasonOf, rejection } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { methodSamples } from "./method-samples.ts";
import { findMethods, procedureOf, toProtocolRequests } from "./methods.ts";
import { blamedField, callRest } from "./studio.ts";

const marquee = await useMarquee();

const COMPONENT = "/ott/page_components/v2/text-home-notice";
const call = (method: string, path: string, body?: unknown, headers = {}) =>
  callRest(marquee, method, path.slice(1), body, headers);
const patch = (body: unknown, headers = {}) => call("PATCH", COMPONENT, body, headers);
const UPDATE = { page_component_update: { name: "n" }, update_mask: "name" };

/** The requests of the Studio API that need nothing to be made. */
const REST = (await findMethods()).flatMap((method) => {
  const { message } = methodSamples[procedureOf(method)] ?? {};
  if (typeof message !== "object" || !isStudioService(method.parent)) return [];
  const [request] = toProtocolRequests(method, message);
  return request ? [{ name: procedureOf(method), ...request }] : [];
});

test("every method of the Studio API has a path", () => {
  expect(new Set(REST.map(({ protocol }) => protocol))).toEqual(new Set(["REST"]));
  expect(REST.length).toBeGreaterThanOrEqual(12);
});

describe("responses", () => {
  for (const { name, method, path, body } of REST) {
    test(`${name} returns snake_case in JSON that no shared cache keeps`, async () => {
      const got = await call(method, path, body);
      expect(got.status).toBe(200);
      expect(got.headers.get("content-type")).toMatch(/^application\/json\b/);
      expect(got.headers.get("cache-control")).toContain("private");
      expect(got.text).toMatch(/^[^\n]+\n$/);
      expect(got.headers.get("content-length")).toBe(String(Buffer.byteLength(got.text)));
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

// What a body, a path and a query may be, all of test/http/rest and test/protojson/read-json.test.ts try.
test("broken JSON is rejected with its position", async () => {
  const got = await patch('{\n  "update_mask": name\n}');
  expect([...rejection(got), got.json.code]).toEqual([400, "JSON_SYNTAX", 3]);
  expect(metadataOf(got)).toMatchObject({ line: "2", column: "18", offset: "19" });
});

test("half of a surrogate pair is no text", async () => {
  const got = await patch('{"page_component_update":{"name":"\\ud800"},"update_mask":"name"}');
  expect([got.status, blamedField(got)]).toEqual([400, "page_component_update.name"]);
});

test("%2F in a segment is data", async () => {
  const got = await call("PATCH", "/ott/page_components/v2/a%2Fb%20c%25", UPDATE);
  expect([got.status, metadataOf(got)?.ids]).toEqual([404, "a/b c%"]);
});

function keysOf(json: HttpResponse["json"]): string[] {
  if (Array.isArray(json)) return json.flatMap(keysOf);
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => [key, ...keysOf(value)]);
}
