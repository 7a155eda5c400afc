import { afterEach, describe, expect, test } from "vitest";
import { connectHeaders, PROCEDURES } from "../harness/calls.ts";
import { reasonOf, send } from "../harness/http.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";

const [OWN, STRANGE] = ["https://admin.example", "https://evil.example"];
const COMPONENT = "/ott/page_components/v2/banner-home";

let marquee: Marquee | undefined;
afterEach(() => marquee?.close());

const start = async (studioOrigins?: readonly string[]) => {
  marquee = await startMarquee(studioOrigins && { studioOrigins });
  return marquee;
};

const preflight = (url: string, origin: string, method: string) =>
  send("OPTIONS", url, {
    headers: { origin, "access-control-request-method": method },
  });

const allowed = ({ headers }: { readonly headers: Headers }) => [
  headers.get("access-control-allow-origin"),
  headers.get("vary"),
];

describe("the Studio API", () => {
  test("serves pages of its origins over both protocols, and no others", async () => {
    const { url, tokens } = await start([OWN, "http://localhost:5173"]);
    for (const [path, method] of [
      [COMPONENT, "PATCH"],
      [PROCEDURES.updateComponent, "POST"],
    ] as const) {
      const own = await preflight(url + path, OWN, method);
      expect(own.status).toBe(204);
      expect(own.headers.get("access-control-allow-origin")).toBe(OWN);
      expect(own.headers.get("vary")).toMatch(/^Origin, Access-Control-Request-Method/);
      expect(own.headers.get("access-control-allow-methods")).toContain(method);
      expect(own.headers.get("access-control-max-age")).toBe("7200");
      const strange = await preflight(url + path, STRANGE, method);
      expect(strange.headers.get("access-control-allow-origin")).toBeNull();
      expect(strange.headers.get("vary")).toMatch(/^Origin\b/);
    }
    const read = (origin: string, token = tokens.owner) =>
      send("GET", url + COMPONENT, { token, headers: { origin } });
    const own = await read(OWN);
    expect([own.status, ...allowed(own)]).toEqual([200, OWN, expect.stringMatching(/^Origin\b/)]);
    expect(own.headers.get("access-control-expose-headers")).toContain("ETag");
    expect(allowed(await read(OWN, "wrong"))).toEqual([OWN, "Origin"]);
    expect(allowed(await read(STRANGE))[0]).toBeNull();
  });

  test("allows every origin by *", async () => {
    const { url } = await start(["*"]);
    expect(allowed(await preflight(url + COMPONENT, STRANGE, "PATCH"))[0]).toBe("*");
  });

  test("without the setting allows no origin over any protocol", async () => {
    const { url, tokens } = await start();
    for (const [path, method, want] of [
      [COMPONENT, "PATCH", 405],
      [PROCEDURES.updateComponent, "POST", 204],
    ] as const) {
      const { status, headers } = await preflight(url + path, OWN, method);
      expect([status, headers.get("access-control-allow-origin")]).toEqual([want, null]);
    }
    const call = { token: tokens.owner, headers: { origin: OWN } };
    const read = await send("GET", url + COMPONENT, call);
    expect([read.status, ...allowed(read)]).toEqual([200, null, null]);
    const called = await send("POST", url + PROCEDURES.listTransactions, {
      headers: { ...connectHeaders(tokens.owner), origin: OWN },
      body: { projectId: "worldcup" },
    });
    expect([called.status, allowed(called)[0]]).toEqual([200, null]);
  });
});

describe("a page of a studio origin, as a browser lets it", () => {
  /** Response headers that are the browser's and the connection's business, or that every page may read. */
  const UNEXPOSED =
    /^(access-control-.*|cache-control|connection|content-(length|type)|date|keep-alive|transfer-encoding|vary)$/;

  /** Sends what a page may send, and gives what it may read; fails where the browser would hide something. */
  async function fetchFromPage(method: string, path: string, body?: object, headers = {}) {
    const { url, tokens } = marquee as Marquee;
    const token = tokens.owner;
    const names = ["authorization", ...(body ? ["content-type"] : []), ...Object.keys(headers)];
    const asked = await send("OPTIONS", url + path, {
      headers: {
        origin: OWN,
        "access-control-request-method": method,
        "access-control-request-headers": names.join(","),
      },
    });
    const listed = (name: string) => (asked.headers.get(name) ?? "").toLowerCase().split(/[, ]+/);
    expect(listed("access-control-allow-headers")).toEqual(expect.arrayContaining(names));
    const got = await send(method, url + path, {
      token,
      headers: { origin: OWN, ...headers },
      ...(body && { body }),
    });
    const exposed = (got.headers.get("access-control-expose-headers") ?? "").toLowerCase();
    const hidden = [...got.headers.keys()].filter(
      (name) => !UNEXPOSED.test(name) && !exposed.split(/[, ]+/).includes(name),
    );
    expect(hidden).toEqual([]);
    return got;
  }

  test("writes conditionally, and reads tags and errors", async () => {
    await start([OWN]);
    const etag = (await fetchFromPage("GET", COMPONENT)).headers.get("etag") ?? "";
    const body = { page_component_update: { name: "n" }, update_mask: "name" };
    const written = await fetchFromPage("PATCH", COMPONENT, body, { "if-match": etag });
    expect([written.status, written.json.page_component.name]).toEqual([200, "n"]);
    const stale = await fetchFromPage("PATCH", COMPONENT, body, { "if-match": etag });
    expect([stale.status, reasonOf(stale)]).toEqual([409, "ETAG_MISMATCH"]);
    const denied = await fetchFromPage("GET", COMPONENT, undefined, { "if-none-match": '"x"' });
    expect(denied.status).toBe(200);
  });

  test("names its trace", async () => {
    await start([OWN]);
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const got = await fetchFromPage("GET", COMPONENT, undefined, {
      traceparent,
      tracestate: "a=b",
    });
    expect(got.status).toBe(200);
  });

  test("reads the warnings of a ruleset", async () => {
    await start([OWN]);
    const body = { project_id: "worldcup", name: "behind the demo's", priority: "-1" };
    const got = await fetchFromPage("POST", "/streaming/video_protection/v2/rulesets", body);
    expect(got.headers.get("marquee-warnings")).toContain("APPLIES_TO_NOTHING");
  });
});

test("delivery allows every origin, whichever may call the Studio API", async () => {
  const { url } = await start([OWN]);
  const { status, headers } = await preflight(url + PROCEDURES.listEvents, STRANGE, "GET");
  expect([status, headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  expect(headers.get("vary")).not.toContain("Origin,");
});

test("every origin reads the 404 of a path below a wrong base", async () => {
  const { url } = await start([OWN]);
  for (const origin of [OWN, STRANGE]) {
    const got = await send("GET", `${url}/api${PROCEDURES.listEvents}`, { headers: { origin } });
    expect([got.status, reasonOf(got), ...allowed(got)]).toEqual([
      404,
      "PATH_UNKNOWN",
      "*",
      "Origin",
    ]);
  }
});
