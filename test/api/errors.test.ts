import { request } from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import { Code, DomainError } from "../../src/domain/errors.ts";
import { type HttpAnswer, reasonOf, send } from "../harness/http.ts";
import { startMarquee } from "../harness/marquee.ts";
import { startFaultyService } from "./faulty-service.ts";

const marquee = await startMarquee();
const faulty = await startFaultyService(marquee);
afterAll(async () => {
  await faulty.close();
  await marquee.close();
});

const COMPONENTS = "svc.studio.ott.page_component.v2.PageComponentService";
const EVENTS = "svc.cda.cms.event.v1.EventService";

type Options = {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
};
const rest = (method: string, path: string, options: Options = {}) =>
  send(method, marquee.url + path, { token: marquee.tokens.owner, ...options });
const connect = (path: string, body: unknown, { headers, ...options }: Options = {}) =>
  send("POST", `${marquee.url}/${path}`, {
    token: path.startsWith("svc.cda") ? marquee.keys.public : marquee.tokens.owner,
    ...options,
    headers: { "connect-protocol-version": "1", ...headers },
    body,
  });
/** One change of a page component on both faces. */
const both = (id: string, update: object, mask: string, options: Options = {}) => ({
  rest: () =>
    rest("PATCH", `/ott/page_components/v2/${id}`, {
      ...options,
      body: { page_component_update: update, update_mask: mask },
    }),
  connect: () =>
    connect(
      `${COMPONENTS}/UpdatePageComponent`,
      { pageComponentId: id, pageComponentUpdate: update, updateMask: mask },
      options,
    ),
});
const throwing = (code: Code, reason: string) => {
  const fault = new DomainError(code, reason, "a message", { cause: "SECRET" });
  faulty.fail("get", () => Promise.reject(fault));
  return faulty.calls();
};

interface Row {
  readonly what: string;
  readonly code: readonly [number: number, name: string];
  readonly status: number;
  readonly faces: () => { rest(): Promise<HttpAnswer>; connect(): Promise<HttpAnswer> };
  readonly headers?: Readonly<Record<string, string>>;
}

const ROWS: readonly Row[] = [
  {
    what: "no credentials",
    code: [16, "unauthenticated"],
    status: 401,
    faces: () => both("banner-home", {}, "name", { token: undefined }),
    headers: { "www-authenticate": "Bearer" },
  },
  {
    what: "a role without the permission",
    code: [7, "permission_denied"],
    status: 403,
    faces: () => both("banner-home", {}, "name", { token: marquee.tokens.viewer }),
  },
  {
    what: "a resource that does not exist",
    code: [5, "not_found"],
    status: 404,
    faces: () => both("nothing", {}, "name"),
  },
  {
    what: "a resource where the account has no role",
    code: [5, "not_found"],
    status: 404,
    faces: () => both("banner-home", {}, "name", { token: marquee.tokens.outsider }),
  },
  {
    what: "a mask violation",
    code: [3, "invalid_argument"],
    status: 400,
    faces: () => both("banner-home", {}, "id"),
  },
  {
    what: "a wrong type",
    code: [3, "invalid_argument"],
    status: 400,
    faces: () => both("banner-home", { name: 7 }, "name"),
  },
  {
    what: "two members of a one-of",
    code: [3, "invalid_argument"],
    status: 400,
    faces: () => both("banner-home", { text: {}, faq: {} }, "name"),
  },
  {
    what: "an etag mismatch",
    code: [10, "aborted"],
    status: 409,
    faces: () => both("banner-home", {}, "name", { headers: { "if-match": '"old"' } }),
  },
  {
    what: "what exists already",
    code: [6, "already_exists"],
    status: 409,
    faces: () => throwing(Code.ALREADY_EXISTS, "ALREADY_EXISTS"),
  },
  {
    what: "a state that forbids it",
    code: [9, "failed_precondition"],
    status: 400,
    faces: () => both("banner-home", { type: "filter", filter: {} }, "type,filter"),
  },
  {
    what: "an unknown path; an unknown procedure, which no client takes for a missing resource",
    code: [5, "unimplemented"],
    status: 404,
    faces: () => ({
      rest: () => rest("GET", "/ott/page_components/v3"),
      connect: () => connect(`${EVENTS}/Nothing`, {}),
    }),
  },
  {
    what: "a known path with the wrong method",
    code: [12, "unimplemented"],
    status: 405,
    faces: () => ({
      rest: () => rest("PUT", "/ott/page_components/v2/banner-home"),
      connect: () => send("GET", `${marquee.url}/${COMPONENTS}/UpdatePageComponent`),
    }),
    headers: { allow: "" },
  },
  {
    what: "a body over the limit",
    code: [8, "resource_exhausted"],
    status: 413,
    faces: () => ({
      rest: () =>
        rest("PATCH", "/ott/page_components/v2/banner-home", { body: "x".repeat(4 * 2 ** 20 + 1) }),
      connect: () => connect(`${EVENTS}/ListEvents`, "x".repeat(2 ** 20 + 1)),
    }),
  },
  {
    what: "a rate or stream limit",
    code: [8, "resource_exhausted"],
    status: 429,
    faces: () => throwing(Code.RESOURCE_EXHAUSTED, "LIMIT_REACHED"),
  },
  {
    what: "a deadline that has passed",
    code: [4, "deadline_exceeded"],
    status: 504,
    faces: () => throwing(Code.DEADLINE_EXCEEDED, "DEADLINE_PASSED"),
  },
  {
    what: "a database that is away",
    code: [14, "unavailable"],
    status: 503,
    faces: () => throwing(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE"),
  },
  {
    what: "anything unforeseen",
    code: [13, "internal"],
    status: 500,
    faces: () => {
      faulty.fail("get", () => Promise.reject(new Error("SECRET")));
      return faulty.calls();
    },
  },
];

for (const { what, code, status, faces, headers = {} } of ROWS) {
  describe(what, () => {
    test(`is ${status} with code ${code[0]} and a Status body on the management face`, async () => {
      const got = await faces().rest();
      expect([got.status, got.json?.code]).toEqual([status, code[0]]);
      expect(Object.keys(got.json).sort()).toEqual(["code", "details", "message"]);
      for (const detail of got.json.details) {
        expect(detail["@type"]).toMatch(/^type\.googleapis\.com\/google\.rpc\.[A-Z]\w+$/);
      }
      expectError(got, headers);
    });

    test(`is ${status} with code ${code[1]} and a Connect body over Connect`, async () => {
      const got = await faces().connect();
      expect([got.status, got.json?.code]).toEqual([status, code[1]]);
      for (const detail of got.json.details) {
        expect(detail.type).toMatch(/^google\.rpc\.[A-Z]\w+$/);
        expect(Buffer.from(detail.value, "base64").length).toBeGreaterThan(0);
      }
      expectError(got, headers);
    });
  });
}

/** What every error has, whatever it is: JSON, ErrorInfo, a message without secrets, no caching. */
function expectError(got: HttpAnswer, headers: Readonly<Record<string, string>>): void {
  expect(got.headers.get("content-type")).toMatch(/^application\/json\b/);
  expect(got.headers.get("cache-control")).toContain("no-store");
  expect(got.headers.get("x-request-id")).toMatch(/.+/);
  expect(got.json.message).toMatch(/^.{3,}/);
  expect(got.text).not.toMatch(/SECRET|\bat .*\.ts|node_modules|select .* from/i);
  expect(reasonOf(got)).toMatch(/^[A-Z][A-Z0-9_]{2,62}$/);
  expect(got.text).toContain('"domain":"marquee"');
  for (const [name, value] of Object.entries(headers)) {
    expect(got.headers.get(name)).toContain(value);
  }
}

describe("the order of the checks", () => {
  const path = "/ott/page_components/v2/banner-home";
  const rows: readonly (readonly [string, () => Promise<HttpAnswer>, number])[] = [
    ["the route comes before credentials", () => rest("GET", "/no", { token: undefined }), 404],
    ["the method too", () => rest("PUT", path, { token: undefined, body: "{" }), 405],
    ["credentials come before the body", () => rest("PATCH", path, { token: "x", body: "{" }), 401],
    [
      "credentials come before the type of the body",
      () =>
        rest("PATCH", path, { token: "x", body: "a", headers: { "content-type": "text/plain" } }),
      401,
    ],
    [
      "credentials come before the protocol version",
      () => send("POST", `${marquee.url}/${EVENTS}/ListEvents`, { body: {} }),
      401,
    ],
    [
      "parsing comes before permission",
      () => rest("PATCH", path, { token: marquee.tokens.outsider, body: "{" }),
      400,
    ],
    [
      "permission comes before the meaning, for who must not know",
      () => both("banner-home", {}, "id", { token: marquee.tokens.outsider }).rest(),
      404,
    ],
    [
      "permission comes before the meaning, for who may not write",
      () =>
        both("banner-home", {}, "id", {
          token: marquee.tokens.viewer,
          headers: { "if-match": "malformed" },
        }).rest(),
      403,
    ],
  ];
  for (const [what, call, status] of rows) {
    test(what, async () => expect((await call()).status).toBe(status));
  }

  test("credentials are refused while the body is still on its way", async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request(marquee.url + path, {
        method: "PATCH",
        headers: { "content-type": "application/json", "content-length": 1_000_000 },
      });
      sent.on("response", (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on("error", reject);
      sent.write("{");
    });
    expect(status).toBe(401);
  });
});
