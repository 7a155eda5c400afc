import { toJsonString } from "@bufbuild/protobuf";
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import {
  GetPageResponseSchema,
  PageService,
} from "../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { findWriteFields } from "../../src/api/steps/request-fields.ts";
import { isKindName, kindOf } from "../../src/domain/kinds.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { getUrl } from "../harness/calls.ts";
import { rejection, send } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { override } from "../harness/override.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { sampleOf } from "./method-samples.ts";
import { callConnect, findMethods, procedureOf } from "./methods.ts";

const WRITES = (await findMethods()).filter((method) => findWriteFields(method) !== undefined);

const GET_PAGE = "/svc.cda.ott.page.v1.PageService/GetPage";

/** Another process, which sees the changes of others only when it catches up. */
let catchUps = 0;
const marquee = await useMarquee();
const frozen = freeze(await marquee.openAnother());
const other = await startOver(frozen, { limits: { cacheMib: 1 }, runsActions: false });
beforeEach(() => {
  catchUps = 0;
});
afterAll(() => other.close(1_000));

function freeze(store: Store): Store {
  const known = new Map<string, number | undefined>();
  let accessVersion = store.accessVersion();
  return override(store, {
    accessVersion: () => accessVersion,
    knownRevision(projectId) {
      if (!known.has(projectId)) known.set(projectId, store.knownRevision(projectId));
      return known.get(projectId);
    },
    async catchUp() {
      catchUps += 1;
      await store.catchUp();
      known.clear();
      accessVersion = store.accessVersion();
    },
  });
}

let names = 0;

/** Renames a component of the home page; returns its new name and the token of the write. */
async function rename() {
  names += 1;
  const name = `renamed ${names}`;
  const { samples, tokens, url } = marquee;
  const path = `${url}/ott/page_components/v2/${samples.page_component_id}`;
  const body = { page_component_update: { name }, update_mask: "name" };
  const { headers } = await send("PATCH", path, { token: tokens.owner, body });
  return { name, token: headers.get("x-consistency-token") ?? "" };
}

/** Reads the home page over a protocol of the other process, and returns what it writes of it. */
const PROTOCOLS: Readonly<Record<string, (token?: string) => Promise<string>>> = {
  async "Connect GET"(token) {
    const url = other.deliveryUrl + getUrl(GET_PAGE, { slug: "home" });
    const headers = { ...(token && { "x-consistency-token": token }) };
    return (await send("GET", url, { token: marquee.keys.public, headers })).text;
  },
  "Connect POST": (token) => read(createConnectTransport, token),
  gRPC: (token) => read(createGrpcTransport, token),
  async "HTTP/JSON"(token) {
    const id = marquee.samples.page_component_id;
    const url = `${other.studioUrl}/ott/page_components/v2/${id}`;
    const headers = { ...(token && { "x-consistency-token": token }) };
    return (await send("GET", url, { token: marquee.tokens.owner, headers })).text;
  },
};

async function read(
  createTransport: typeof createGrpcTransport | typeof createConnectTransport,
  token?: string,
): Promise<string> {
  const add: Interceptor = (next) => (request) => {
    request.header.set("authorization", `Bearer ${marquee.keys.public}`);
    if (token !== undefined) request.header.set("x-consistency-token", token);
    return next(request);
  };
  const transport = createTransport({
    ...{ baseUrl: other.deliveryUrl, httpVersion: "2", interceptors: [add] },
  });
  const got = await createClient(PageService, transport).getPage({ slug: "home" });
  return toJsonString(GetPageResponseSchema, got);
}

describe("a client reads what it wrote, in any process", () => {
  for (const [protocol, readPage] of Object.entries(PROTOCOLS)) {
    test(protocol, async () => {
      await readPage();
      const { name, token } = await rename();
      expect(token).toMatch(/^worldcup:\d+$/);
      // Studio reads the newest state anyway.
      if (protocol !== "HTTP/JSON") expect(await readPage()).not.toContain(`"${name}"`);
      expect(await readPage(token)).toContain(`"${name}"`);
      expect(catchUps).toBe(1);
      // What is known now suffices.
      expect(await readPage(token)).toContain(`"${name}"`);
      expect(await readPage()).toContain(`"${name}"`);
      expect(catchUps).toBe(1);
    });
  }

  test("its revoked key, too, which the other process has in memory", async () => {
    const keys = `${marquee.url}/iam/project_keys/v1`;
    const token = marquee.tokens.owner;
    const body = { project_id: "worldcup", kind: "PROJECT_KEY_KIND_PUBLIC" };
    const created = await send("POST", keys, { token, body });
    expect([created.status, created.text]).toEqual([200, created.text]);
    const { key, project_key } = created.json;
    const url = other.deliveryUrl + getUrl(GET_PAGE, { slug: "home" });
    const get = (write: typeof created) => {
      const consistency = write.headers.get("x-consistency-token") ?? "";
      return send("GET", url, { token: key, headers: { "x-consistency-token": consistency } });
    };
    // The other process is at the revision of the key, which it has in memory.
    for (let times = 0; times < 3; times += 1) expect((await get(created)).status).toBe(200);
    const revoked = await send("DELETE", `${keys}/${project_key.id}`, { token });
    expect([revoked.status, revoked.text]).toEqual([200, revoked.text]);
    expect((await send("GET", url, { token: key })).status).toBe(200);
    expect((await get(revoked)).status).toBe(401);
  });
});

describe("a token", () => {
  const url = () => other.deliveryUrl + getUrl(GET_PAGE, { slug: "home" });
  const get = (token: string, key = marquee.keys.public) =>
    send("GET", url(), { token: key, headers: { "x-consistency-token": token } });

  for (const bad of [
    "",
    "worldcup",
    "worldcup:",
    "worldcup:-1",
    "worldcup:1e3",
    ":1",
    "%E0:1",
    "a:1, b:2",
    `a:${"9".repeat(16)}`,
  ]) {
    test(`of the form '${bad}' is rejected`, async () => {
      expect(rejection(await get(bad))).toEqual([400, "CONSISTENCY_TOKEN_INVALID"]);
      const studio = `${other.studioUrl}/ott/pages/v1?project_id=worldcup`;
      const headers = { "x-consistency-token": bad };
      const rejected = await send("GET", studio, { token: marquee.tokens.owner, headers });
      expect(rejection(rejected)).toEqual([400, "CONSISTENCY_TOKEN_INVALID"]);
    });
  }

  test("is read after the credentials", async () => {
    expect((await get("x", "mq_pk_none")).status).toBe(401);
  });

  test("of another project changes nothing", async () => {
    const plain = await send("GET", url(), { token: marquee.keys.public });
    for (const token of ["sandbox:999999", "none:1"]) {
      const got = await get(token);
      expect([got.status, got.text]).toEqual([200, plain.text]);
    }
    expect(catchUps).toBe(0);
  });

  test("of a project where an account has no role changes nothing", async () => {
    const studio = `${other.studioUrl}/iam/auth/v1/me`;
    const read = (id: string, account: string) => {
      const headers = { "x-consistency-token": `${id}:999999999` };
      return send("GET", studio, { token: account, headers });
    };
    const { outsider, viewer } = marquee.tokens;
    for (const [id, account] of [
      ["worldcup", outsider],
      ["none", outsider],
      ["sandbox", viewer],
    ] as const) {
      expect((await read(id, account)).status).toBe(200);
    }
    expect(catchUps).toBe(0);
    expect((await read("worldcup", viewer)).status).toBe(200);
    expect(catchUps).toBe(1);
  });

  test("newer than anything written gets the newest response", async () => {
    const plain = await send("GET", url(), { token: marquee.keys.public });
    expect((await get("worldcup:999999999")).text).toBe(plain.text);
    expect(catchUps).toBe(1);
    const studio = `${other.studioUrl}/ott/pages/v1?project_id=worldcup`;
    for (const token of ["worldcup:999999999", "sandbox:999999999", "none:999999999"]) {
      const headers = { "x-consistency-token": token };
      expect((await send("GET", studio, { token: marquee.tokens.owner, headers })).status).toBe(
        200,
      );
    }
  });

  test("of a revision that was never given makes the database be asked ten times a second", async () => {
    const start = performance.now();
    for (let round = 0; round < 5; round += 1) {
      const got = await Promise.all(Array.from({ length: 10 }, () => get("worldcup:999999999")));
      expect(got.map(({ status }) => status)).toEqual(got.map(() => 200));
    }
    expect(catchUps).toBeLessThanOrEqual(2 + (performance.now() - start) / 100);
    // A token that was given is found by the next look.
    const { name, token } = await rename();
    expect(await PROTOCOLS["Connect GET"]?.(token)).toContain(`"${name}"`);
    // Nobody else waits for that.
    catchUps = 0;
    const sandbox = get("sandbox:999999999", marquee.keys.sandbox);
    await expect.poll(() => catchUps, { interval: 1 }).toBeGreaterThan(0);
    await sandbox;
  });
});

describe("the response to a write", () => {
  for (const method of WRITES) {
    const [, , , kind = ""] = method.parent.typeName.split(".");
    const isInProject =
      kind === "project" ||
      (isKindName(kind) ? kindOf(kind).in === "project" : kind !== "staff_sign_in");
    test(`${procedureOf(method)} has ${isInProject ? "a" : "no"} token`, async () => {
      const message = await sampleOf(marquee, method);
      const got = await callConnect(marquee.url, method, message, marquee.tokens.owner);
      expect([got.status, got.text]).toEqual([200, got.text]);
      const want = isInProject ? expect.stringMatching(/^[\w-]+:[1-9]\d*$/) : null;
      expect(got.headers.get("x-consistency-token")).toEqual(want);
    });
  }
});

test("a dry run has no token", async () => {
  const { samples, tokens, url } = marquee;
  const path = `${url}/ott/page_components/v2/${samples.page_component_id}`;
  const body = { page_component_update: { name: "dry" }, update_mask: "name", validate_only: true };
  const dry = await send("PATCH", path, { token: tokens.owner, body });
  expect([dry.status, dry.headers.get("x-consistency-token")]).toEqual([200, null]);
});

test("pages of every origin may send and read the header", async () => {
  const headers = {
    origin: "https://site.example",
    "access-control-request-method": "GET",
    "access-control-request-headers": "x-consistency-token",
  };
  const preflight = await send("OPTIONS", marquee.url + GET_PAGE, { headers });
  expect(preflight.headers.get("access-control-allow-headers")).toContain("X-Consistency-Token");
  const got = await send("GET", marquee.url + getUrl(GET_PAGE, { slug: "home" }), {
    ...{ token: marquee.keys.public, headers: { origin: "https://site.example" } },
  });
  expect(got.headers.get("access-control-expose-headers")).toContain("X-Consistency-Token");
});
