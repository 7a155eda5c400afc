import { request } from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import { Code, DomainError, type Reason } from "../../src/domain/base/errors.ts";
import { captureLog } from "../harness/captured-log.ts";
import { type HttpResponse, metadataOf, reasonOf, send } from "../harness/http.ts";
import { startMarquee, startOver } from "../harness/marquee.ts";
import { override } from "../harness/override.ts";

const marquee = await startMarquee();
const { store, tokens, url } = marquee;

/** A service over the same data whose store fails at one place as a test wants; it logs errors alone. */
let failing: { readonly at: string; readonly error: () => Promise<never> } | undefined;
const at =
  <A extends unknown[], R>(name: string, real: (...args: A) => Promise<R>) =>
  (...args: A) =>
    failing?.at === name ? failing.error() : real(...args);
const { log, lines } = captureLog("error");
const { documents } = store.in("org-worldcup");
const types = documents.annotation_type;
const get = at("get", (id: string) => types.get(id));
const failingDocuments = override(documents, { annotation_type: override(types, { get }) });
const failingStore = override(store, {
  access: override(store.access, {
    findToken: at("findToken", (hash) => store.access.findToken(hash)),
    listBindings: at("listBindings", (account) => store.access.listBindings(account)),
  }),
  in: (organizationId) => override(store.in(organizationId), { documents: failingDocuments }),
});
const broken = await startOver(failingStore, { log, reflection: false });
afterAll(async () => {
  await broken.close(1_000);
  await marquee.close();
});

const COMPONENTS = "svc.studio.ott.page_component.v2.PageComponentService";
const EVENTS = "svc.cda.cms.event.v1.EventService";
const TYPES = "svc.studio.annotations.annotation_type.v1.AnnotationTypeService";

type Options = { readonly token?: string | undefined; readonly headers?: Record<string, string> };
/** The same call over both protocols. */
interface ByProtocol {
  rest(): Promise<HttpResponse>;
  connect(): Promise<HttpResponse>;
}

const rest = (method: string, path: string, options: Options & { body?: unknown } = {}) =>
  send(method, url + path, { token: tokens.owner, ...options });
const connect = (path: string, body: unknown, { headers, ...options }: Options = {}) =>
  send("POST", `${url}/${path}`, {
    token: path.startsWith("svc.cda") ? marquee.keys.public : tokens.owner,
    ...options,
    headers: { "connect-protocol-version": "1", ...headers },
    body,
  });
const ID = "banner-home";
const PATH = `/ott/page_components/v2/${ID}`;
/** One change of a page component. */
const both = (update: object, mask: string, options: Options = {}, id = ID): ByProtocol => ({
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
/** A read of an annotation type from the store that fails. */
const fail = (error: unknown, headers = {}, place = "get"): ByProtocol => {
  failing = { at: place, error: () => Promise.reject(error) };
  const path = "/annotations/types/v1/type-goal/action_configuration";
  const all = { "connect-protocol-version": "1", ...headers };
  return {
    rest: () => send("GET", broken.studioUrl + path, { token: tokens.owner, headers }),
    connect: () =>
      send("POST", `${broken.studioUrl}/${TYPES}/GetActionConfiguration`, {
        ...{ token: tokens.owner, headers: all, body: { annotationTypeId: "type-goal" } },
      }),
  };
};
const failWith = (code: Code, reason: Reason) =>
  fail(new DomainError(code, reason, "a message", { cause: "SECRET" }));

/** Each state as `<code of gRPC> <name of Connect> <status>: <what happens>`, and the calls. */
const ROWS: Readonly<Record<string, () => ByProtocol>> = {
  "16 unauthenticated 401: no credentials": () => both({}, "name", { token: undefined }),
  "7 permission_denied 403: a role without the permission": () =>
    both({}, "name", { token: tokens.viewer }),
  "5 not_found 404: a resource that does not exist": () => both({}, "name", {}, "nothing"),
  "5 not_found 404: a resource where the account has no role": () =>
    both({}, "name", { token: tokens.outsider }),
  "3 invalid_argument 400: a mask violation": () => both({}, "id"),
  "3 invalid_argument 400: a wrong type": () => both({ name: 7 }, "name"),
  "3 invalid_argument 400: two members of a one-of": () => both({ text: {}, faq: {} }, "name"),
  "10 aborted 409: an etag mismatch": () => both({}, "name", { headers: { "if-match": '"old"' } }),
  "6 already_exists 409: what exists already": () =>
    failWith(Code.ALREADY_EXISTS, "ALREADY_EXISTS"),
  "9 failed_precondition 400: a state that forbids it": () =>
    both({ type: "filter", filter: {} }, "type,filter"),
  "5 unimplemented 404: an unknown path, and an unknown procedure": () => ({
    rest: () => rest("GET", "/ott/page_components/v3"),
    connect: () => connect(`${EVENTS}/Nothing`, {}),
  }),
  "12 unimplemented 405: a known path with the wrong method": () => ({
    rest: () => rest("PUT", PATH),
    connect: () => send("GET", `${url}/${COMPONENTS}/UpdatePageComponent`),
  }),
  "8 resource_exhausted 413: a body over the limit": () => ({
    rest: () => rest("PATCH", PATH, { body: "x".repeat(4 * 2 ** 20 + 1) }),
    connect: () => connect(`${EVENTS}/ListEvents`, "x".repeat(2 ** 20 + 1)),
  }),
  "8 resource_exhausted 429: a rate or stream limit": () =>
    failWith(Code.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED"),
  "4 deadline_exceeded 504: a deadline that has passed": () =>
    failWith(Code.DEADLINE_EXCEEDED, "DEADLINE_PASSED"),
  "14 unavailable 503: a database that is away": () =>
    failWith(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE"),
  "13 internal 500: anything unforeseen": () => fail(new Error("SECRET")),
};

for (const [row, protocols] of Object.entries(ROWS)) {
  const [code = "", name = "", status = ""] = row.split(/[ :]/);
  test(row, async () => {
    const { rest, connect } = protocols();
    const [studio, connected] = [await rest(), await connect()];
    expect([studio.status, studio.json?.code]).toEqual([Number(status), Number(code)]);
    expect(Object.keys(studio.json).sort()).toEqual(["code", "details", "message"]);
    for (const detail of studio.json.details) {
      expect(detail["@type"]).toMatch(/^type\.googleapis\.com\/google\.rpc\.[A-Z]\w+$/);
    }
    expect([connected.status, connected.json?.code]).toEqual([Number(status), name]);
    for (const detail of connected.json.details) {
      expect(detail.type).toMatch(/^google\.rpc\.[A-Z]\w+$/);
      expect(Buffer.from(detail.value, "base64").length).toBeGreaterThan(0);
    }
    for (const got of [studio, connected]) {
      expect(got.headers.get("content-type")).toMatch(/^application\/json\b/);
      expect(got.headers.get("cache-control")).toContain("no-store");
      expect(got.headers.get("x-request-id")).toMatch(/.+/);
      expect(got.json.message).toMatch(/^.{3,}/);
      expect(got.text).not.toMatch(/SECRET|\bat .*\.ts|node_modules|select .* from/i);
      expect(reasonOf(got)).toMatch(/^[A-Z][A-Z0-9_]{2,62}$/);
      expect(got.text).toContain('"domain":"marquee"');
      expect(got.headers.get("www-authenticate")).toBe(status === "401" ? "Bearer" : null);
      expect(got.headers.has("allow")).toBe(status === "405");
    }
  });
}

describe("the order of the checks", () => {
  const nobody = { token: undefined };
  const outsider = { token: tokens.outsider };
  const malformed = { token: tokens.viewer, headers: { "if-match": "malformed" } };
  const text = { token: "x", body: "a", headers: { "content-type": "text/plain" } };
  test.each<[string, () => Promise<HttpResponse>, number]>([
    ["the route comes before credentials", () => rest("GET", "/no", nobody), 404],
    ["the method too", () => rest("PUT", PATH, { ...nobody, body: "{" }), 405],
    ["credentials come before the body", () => rest("PATCH", PATH, { token: "x", body: "{" }), 401],
    ["credentials come before the body's type", () => rest("PATCH", PATH, text), 401],
    ["over Connect, too", () => send("POST", `${url}/${EVENTS}/ListEvents`, text), 401],
    ["credentials come before the query", () => send("GET", `${url}/${EVENTS}/ListEvents`), 401],
    [
      "credentials in the URL, too",
      () => send("GET", `${url}/${EVENTS}/ListEvents?encoding=xml&message={}&key=x`),
      401,
    ],
    [
      "credentials come before the protocol version",
      () => send("POST", `${url}/${EVENTS}/ListEvents`, { body: {} }),
      401,
    ],
    ["parsing comes before permission", () => rest("PATCH", PATH, { ...outsider, body: "{" }), 400],
    [
      "permission before the meaning, for who must not know",
      () => both({}, "id", outsider).rest(),
      404,
    ],
    [
      "permission before the meaning, for who may not write",
      () => both({}, "id", malformed).rest(),
      403,
    ],
  ])("%s", async (_, call, status) => expect((await call()).status).toBe(status));

  test("credentials are rejected while the body is still on its way", async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": 1_000_000 };
      const sent = request(url + PATH, { method: "PATCH", headers });
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
  const call = fail(undefined, { "connect-timeout-ms": "50" });
  const late = () => new Promise<never>((_, reject) => setTimeout(() => reject("late"), 500));
  failing = { at: "get", error: late };
  const got = await call.connect();
  expect([got.status, got.json.code]).toEqual([504, "deadline_exceeded"]);
});

describe("an unforeseen error says nothing to the caller and everything to the log", () => {
  const cause = new Error("SQLITE: select SECRET from /var/lib", { cause: new Error("SECRET 2") });
  const thrown: Readonly<Record<string, unknown>> = {
    "an error with a cause": cause,
    "a text": "SECRET text",
    nothing: undefined,
    "an object": { message: "SECRET", code: 3, status: 400 },
    "a type error": new TypeError("SECRET of undefined"),
  };
  for (const place of ["get", "findToken", "listBindings"]) {
    test.each(Object.entries(thrown))(`%s, thrown in ${place}`, async (_, value) => {
      for (const call of Object.values(fail(value, { "x-request-id": "leak.1" }, place))) {
        lines.length = 0;
        const got = await call();
        expect([got.status, got.json.message]).toEqual([500, "internal error"]);
        expect([reasonOf(got), metadataOf(got) ?? {}]).toEqual(["INTERNAL", {}]);
        expect(`${got.text}${JSON.stringify([...got.headers])}`).not.toContain("SECRET");
        await expect.poll(() => JSON.stringify(lines)).toContain("leak.1");
        if (value instanceof Error) expect(JSON.stringify(lines)).toContain(value.message);
      }
    });
  }
});
