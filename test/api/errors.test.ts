import { request } from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import { Code, DomainError, type Reason } from "../../src/domain/errors.ts";
import { type HttpAnswer, metadataOf, reasonOf, send } from "../harness/http.ts";
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
const throwing = (code: Code, reason: Reason) => {
  const fault = new DomainError(code, reason, "a message", { cause: "SECRET" });
  faulty.fail("get", () => Promise.reject(fault));
  return faulty.calls();
};

/** What happens, its code as a number and by name, the status and headers, and the calls on both faces. */
type Row = readonly [
  what: string,
  code: readonly [number: number, name: string],
  status: number,
  faces: () => { rest(): Promise<HttpAnswer>; connect(): Promise<HttpAnswer> },
  headers?: Readonly<Record<string, string>>,
];
const ID = "banner-home";
const PATH = `/ott/page_components/v2/${ID}`;
const INVALID = [3, "invalid_argument"] as const;
const NOT_FOUND = [5, "not_found"] as const;
const EXHAUSTED = [8, "resource_exhausted"] as const;
const failing = () => {
  faulty.fail("get", () => Promise.reject(new Error("SECRET")));
  return faulty.calls();
};

const ROWS: readonly Row[] = [
  [
    ...(["no credentials", [16, "unauthenticated"], 401] as const),
    () => both(ID, {}, "name", { token: undefined }),
    { "www-authenticate": "Bearer" },
  ],
  [
    ...(["a role without the permission", [7, "permission_denied"], 403] as const),
    () => both(ID, {}, "name", { token: marquee.tokens.viewer }),
  ],
  ["a resource that does not exist", NOT_FOUND, 404, () => both("nothing", {}, "name")],
  [
    ...(["a resource where the account has no role", NOT_FOUND, 404] as const),
    () => both(ID, {}, "name", { token: marquee.tokens.outsider }),
  ],
  ["a mask violation", INVALID, 400, () => both(ID, {}, "id")],
  ["a wrong type", INVALID, 400, () => both(ID, { name: 7 }, "name")],
  ["two members of a one-of", INVALID, 400, () => both(ID, { text: {}, faq: {} }, "name")],
  [
    ...(["an etag mismatch", [10, "aborted"], 409] as const),
    () => both(ID, {}, "name", { headers: { "if-match": '"old"' } }),
  ],
  [
    ...(["what exists already", [6, "already_exists"], 409] as const),
    () => throwing(Code.ALREADY_EXISTS, "ALREADY_EXISTS"),
  ],
  [
    ...(["a state that forbids it", [9, "failed_precondition"], 400] as const),
    () => both(ID, { type: "filter", filter: {} }, "type,filter"),
  ],
  [
    "an unknown path; an unknown procedure, which no client takes for a missing resource",
    ...([[5, "unimplemented"], 404] as const),
    () => ({
      rest: () => rest("GET", "/ott/page_components/v3"),
      connect: () => connect(`${EVENTS}/Nothing`, {}),
    }),
  ],
  [
    ...(["a known path with the wrong method", [12, "unimplemented"], 405] as const),
    () => ({
      rest: () => rest("PUT", PATH),
      connect: () => send("GET", `${marquee.url}/${COMPONENTS}/UpdatePageComponent`),
    }),
    { allow: "" },
  ],
  [
    ...(["a body over the limit", EXHAUSTED, 413] as const),
    () => ({
      rest: () => rest("PATCH", PATH, { body: "x".repeat(4 * 2 ** 20 + 1) }),
      connect: () => connect(`${EVENTS}/ListEvents`, "x".repeat(2 ** 20 + 1)),
    }),
  ],
  [
    ...(["a rate or stream limit", EXHAUSTED, 429] as const),
    () => throwing(Code.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED"),
  ],
  [
    ...(["a deadline that has passed", [4, "deadline_exceeded"], 504] as const),
    () => throwing(Code.DEADLINE_EXCEEDED, "DEADLINE_PASSED"),
  ],
  [
    ...(["a database that is away", [14, "unavailable"], 503] as const),
    () => throwing(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE"),
  ],
  ["anything unforeseen", [13, "internal"], 500, failing],
];

for (const [what, code, status, faces, headers = {}] of ROWS) {
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

test("the deadline that a caller sets is kept over Connect", async () => {
  faulty.fail(
    "get",
    () => new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 500)),
  );
  const got = await faulty.calls({ "connect-timeout-ms": "50" }).connect();
  expect([got.status, got.json.code]).toEqual([504, "deadline_exceeded"]);
});

describe("an unforeseen error says nothing to the caller and everything to the log", () => {
  const cause = new Error("SQLITE: select SECRET from /var/lib", { cause: new Error("SECRET 2") });
  const thrown: readonly (readonly [what: string, value: unknown])[] = [
    ["an error with a cause", cause],
    ["a text", "SECRET text"],
    ["nothing", undefined],
    ["an object", { message: "SECRET", code: 3, status: 400 }],
    ["a type error", new TypeError("SECRET of undefined")],
  ];
  for (const where of ["get", "findAccount", "listBindings"] as const) {
    for (const [what, value] of thrown) {
      test(`${what}, thrown in ${where}`, async () => {
        faulty.fail(where, () => Promise.reject(value));
        for (const call of Object.values(faulty.calls({ "x-request-id": "leak.1" }))) {
          faulty.takeLog();
          let log = "";
          const got = await call();
          expect([got.status, got.json.message]).toEqual([500, "internal error"]);
          expect([reasonOf(got), metadataOf(got) ?? {}]).toEqual(["INTERNAL", {}]);
          expect(`${got.text}${JSON.stringify([...got.headers])}`).not.toContain("SECRET");
          await expect.poll(() => (log += faulty.takeLog())).toContain("leak.1");
          if (value instanceof Error) expect(log).toContain(value.message);
        }
      });
    }
  }
});
