import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import * as delivery from "../../packages/client/src/delivery.ts";
import {
  createDeliveryClient,
  createStudioClient,
  hasReason,
  kql,
  MarqueeError,
  preview,
} from "../../packages/client/src/index.ts";
import * as studio from "../../packages/client/src/studio.ts";
import { findMethods } from "../api/methods.ts";
import { captureLog } from "../harness/captured-log.ts";
import { findFreePort } from "../harness/free-port.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const { log, lines } = captureLog();
const marquee = await useMarquee({ log });

/** A client of delivery, and the requests that it sends. */
function createClient(key: string, interceptors: readonly Interceptor[] = []) {
  const sent: { readonly url: string; readonly init: RequestInit | undefined }[] = [];
  const client = createDeliveryClient({
    url: marquee.url,
    key,
    interceptors,
    fetch: (url, init) => {
      sent.push({ url: String(url), init });
      return fetch(url, init);
    },
  });
  return { client, sent };
}

/** Returns what a promise is rejected with. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (cause: unknown) => cause,
  );
}

describe("warnings of the service", () => {
  const list = async (environment: string) => {
    vi.stubEnv("NODE_ENV", environment);
    const client = createDeliveryClient({
      ...{ url: marquee.url, key: marquee.keys.public },
      fetch: async (url, init) => {
        const got = await fetch(url, init);
        const headers = [...got.headers, ["marquee-warnings", '[{"code":"X"}]'] as const];
        return new Response(got.body, { headers: headers.map(([name, value]) => [name, value]) });
      },
    });
    await client.event.listEvents({});
    await client.event.listEvents({});
  };

  test("are logged once for each method, and not in production", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    await list("production");
    expect(warn.mock.calls).toEqual([]);
    await list("development");
    expect(warn.mock.calls).toEqual([
      ['svc.cda.cms.event.v1.EventService/ListEvents: [{"code":"X"}]'],
    ]);
    vi.unstubAllEnvs();
    warn.mockRestore();
  });
});

describe("the client of delivery", () => {
  test("reads by GETs that hold the public key, without a header that a browser would ask for", async () => {
    const { client, sent } = createClient(marquee.keys.public);
    const filter = kql.is("content_type", "match");
    const { events } = await client.event.listEvents({ pageSize: 2, filter });
    expect(events).toHaveLength(2);
    const [{ url = "", init } = {}] = sent;
    expect(init?.method).toBe("GET");
    expect(new URL(url).searchParams.get("key")).toBe(marquee.keys.public);
    expect([...new Headers(init?.headers).keys()]).toEqual([]);
  });

  test("keeps a preview key in the header", async () => {
    const { client, sent } = createClient(marquee.keys.preview);
    await client.page.getPage({ slug: "home" });
    expect(sent[0]?.url).not.toContain("key=");
    expect(new Headers(sent[0]?.init?.headers).get("authorization")).toBe(
      `Bearer ${marquee.keys.preview}`,
    );
  });

  test("sends a read that is too long for an address as a POST", async () => {
    const { client, sent } = createClient(marquee.keys.public);
    const ids = Array.from({ length: 200 }, (_, index) => `a match that is not there ${index}`);
    const filter = kql.oneOf("id", [...ids, "match-2026-104"]);
    const { events } = await client.event.listEvents({ filter });
    expect(events.map((it) => it.id)).toEqual(["match-2026-104"]);
    expect(sent.map(({ init }) => init?.method)).toEqual(["POST"]);
  });

  test("sends a long read as a POST to a path of the own site, too", async () => {
    const sent: string[] = [];
    const client = createDeliveryClient({
      ...{ url: "/api", key: marquee.keys.public },
      fetch: async (url, init) => {
        sent.push(`${init?.method} ${url} ${init?.body}`);
        return Response.json({});
      },
    });
    const search = "a & b?".repeat(2_000);
    await client.event.listEvents({ search });
    const path = "/api/svc.cda.cms.event.v1.EventService/ListEvents";
    expect(sent).toEqual([`POST ${path} ${JSON.stringify({ search })}`]);
  });

  test("makes calls with effects", async () => {
    const { client } = createClient(marquee.keys.public);
    const error = await rejection(client.auth.exchangeToken({ vendorIdToken: "x" }));
    expect(hasReason(error)).toBe(true);
    expect(lines.at(-1)).toMatchObject({ method: "POST" });
  });
});

describe("errors", () => {
  test("have the service's reason, fields and values", async () => {
    const { client } = createClient(marquee.keys.public);
    const error = await rejection(client.event.listEvents({ filter: "a: (" }));
    if (!hasReason(error, "KQL_SYNTAX")) throw error;
    expect(error).toBeInstanceOf(MarqueeError);
    expect(error).toMatchObject({ code: Code.InvalidArgument, field: "filter" });
    expect(error.fields[0]?.description).toContain("Expected");
    expect(error.info).toMatchObject({ offset: "4" });
    expect(hasReason(error, "RESOURCE_NOT_FOUND")).toBe(false);
    expect(ConnectError.from(error)).toBe(error);
  });

  test("without a reason of the service are none of them", async () => {
    const client = createDeliveryClient({ url: "http://127.0.0.1:1", key: "mqp_x" });
    const error = await rejection(client.event.listEvents({}));
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).not.toBeInstanceOf(MarqueeError);
  });
});

describe("an interceptor of a preview", () => {
  const time = "2026-12-05T20:00:00Z";
  test.each<[Parameters<typeof preview>[0], Readonly<Record<string, string>>]>([
    [{}, {}],
    [{ release: [] }, {}],
    [{ release: "finals" }, { "x-release-id": "finals" }],
    [{ release: [..."edcba"] }, { "x-release-id": "e,d,c,b,a" }],
    [{ time: new Date(time) }, { "x-preview-time": "2026-12-05T20:00:00.000Z" }],
    [{ time: "2026-12-05T21:00:00+01:00" }, { "x-preview-time": "2026-12-05T20:00:00.000Z" }],
    [
      { release: "finals", time, audience: "public" },
      {
        "x-release-id": "finals",
        "x-preview-time": "2026-12-05T20:00:00.000Z",
        "x-preview-audience": "public",
      },
    ],
  ])("of %j sends its headers", async (options, want) => {
    const { client, sent } = createClient("mqv_x", [preview(options)]);
    await rejection(client.page.getPage({ slug: "home" }));
    const { authorization, ...got } = Object.fromEntries(new Headers(sent[0]?.init?.headers));
    expect([authorization, got]).toEqual(["Bearer mqv_x", want]);
  });

  const releases = "release: must be the id of a release, or at most 5 of them";
  const times = "time: must be a Date or a time such as 2026-07-19T19:00:00Z";
  test.each<[object, string]>([
    [{ release: [..."abcdef"] }, `${releases}, not the list 'a,b,c,d,e,f'`],
    [{ release: "a,b" }, `${releases}, not 'a,b'`],
    [{ release: ["a", ""] }, `${releases}, not the list 'a,'`],
    [{ release: null }, `${releases}, not 'null'`],
    [{ time: new Date("x") }, `${times}, not 'Invalid Date'`],
    [{ time: "2026-12-05T20:00" }, `${times}, not '2026-12-05T20:00'`],
    [{ time: "soon" }, `${times}, not 'soon'`],
    [{ audience: "all" }, "audience: must be public, not 'all'"],
  ])("rejects %j at once, in one line", (options, message) => {
    expect(() => preview(options)).toThrow(new TypeError(message));
  });
});

describe("the client of studio", () => {
  const createStudio = (accessToken: string, organization?: string) =>
    createStudioClient({
      ...{ url: marquee.url, accessToken },
      ...(organization !== undefined && { organization }),
    });

  test("writes and reads", async () => {
    const { pageComponent } = createStudio(marquee.tokens.owner);
    const pageComponentId = marquee.samples.page_component_id;
    const { pageComponent: changed } = await pageComponent.updatePageComponent({
      ...{ pageComponentId, pageComponentUpdate: { name: "Welcome" } },
      updateMask: { paths: ["name"] },
    });
    expect(changed?.name).toBe("Welcome");
  });

  test("reads what is as deep as the service takes it", async () => {
    const { pageComponent } = createStudio(marquee.tokens.owner);
    const nest = (levels: number): JsonObject => (levels === 0 ? {} : { a: nest(levels - 1) });
    const create = (pageComponentId: string, value: JsonObject) =>
      pageComponent.createPageComponent({
        ...{ pageId: "page-help", pageComponentId },
        pageComponent: {
          ...{ projectId: "worldcup", visibility: Visibility.PUBLISHED },
          ...{ type: "text", data: { case: "text", value } },
        },
      });
    // The request and the component are two levels, and so is an empty object.
    const value = nest(97);
    await create("deep", value);
    const got = await pageComponent.getPageComponent({ pageComponentId: "deep" });
    expect(got.pageComponent?.data.value).toEqual(value);
    const { client } = createClient(marquee.keys.public);
    const { components } = await client.page.getPage({ id: "page-help" });
    const shown = components.find(({ component }) => component?.id === "deep");
    expect(shown?.component?.data.value).toEqual(value);
    expect(hasReason(await rejection(create("deeper", nest(98))))).toBe(true);
    await pageComponent.deletePageComponent({ pageComponentId: "deep" });
  });

  test("names the organization to work in", async () => {
    const { event } = createStudio(marquee.tokens.owner, "another");
    const error = await rejection(event.getEvent({ eventId: marquee.samples.event_id }));
    expect(error).toMatchObject({ code: Code.NotFound });
    expect(hasReason(error, "RESOURCE_NOT_FOUND")).toBe(true);
  });
});

describe("no error quotes a secret", () => {
  const url = "http://127.0.0.1:1";
  for (const key of ["mqv_hush\n", "mqa_hush x", "Bearer mqa_hush", "hüsh-hush"]) {
    test.each([
      ["key", () => createDeliveryClient({ url, key })],
      ["accessToken", () => createStudioClient({ url, accessToken: key })],
    ])(`%s ${JSON.stringify(key)}`, (name, make) => {
      expect(make).toThrow(new RegExp(`^${name}: must (?!.*hush)`));
    });
  }
  for (const address of ["http://ann:hush@h", "ann:hush@h", "http://ann:hu/hush@h", "//a:hush@h"]) {
    test(`url ${address}`, () => {
      const make = () => createStudioClient({ url: address, accessToken: "mqa_x" });
      expect(make).toThrow(/^url: must (?!.*hush)/);
    });
  }
});

describe("an option that is missing or wrong is rejected at once, in one line", () => {
  const url = "http://127.0.0.1:1";
  const [access, key] = ["mqa_secret", "mqp_public"];
  test.each<[string, () => unknown, string]>([
    [
      "no URL",
      () => createDeliveryClient({ url: undefined, key }),
      "url: must be the URL of Marquee, such as https://api.example.com, not 'undefined'",
    ],
    [
      "a URL without a scheme",
      () => createStudioClient({ url: "127.0.0.1:8080", accessToken: access }),
      "url: must be the URL of Marquee, such as https://api.example.com, not '127.0.0.1:8080'",
    ],
    [
      "no key",
      () => createDeliveryClient({ url, key: undefined }),
      "key: must be a project key (mqp_… or mqv_…) or a viewer token, not 'undefined'",
    ],
    [
      "an empty key",
      () => createDeliveryClient({ url, key: "" }),
      "key: must be a project key (mqp_… or mqv_…) or a viewer token, not ''",
    ],
    [
      "an access token as the key",
      () => createDeliveryClient({ url, key: access }),
      "key: must be a project key (mqp_… or mqv_…) or a viewer token, not an access token, which is a secret of the Studio API",
    ],
    [
      "no access token",
      () => createStudioClient({ url, accessToken: undefined }),
      "accessToken: must be an access token (mqa_…), not 'undefined'",
    ],
    ...["mqp_public", "mqv_preview"].map((accessToken): [string, () => unknown, string] => [
      `${accessToken} as the access token`,
      () => createStudioClient({ url, accessToken }),
      "accessToken: must be an access token (mqa_…), not a project key, which only reads the Delivery API",
    ]),
  ])("%s", (_, make, message) => {
    expect(make).toThrow(new TypeError(message));
  });

  test("but not a path of the own site, a viewer token, or a token of another kind", () => {
    createDeliveryClient({ url: "/marquee", key: "eyJhbGciOiJFUzI1NiJ9.e30.x" });
    createStudioClient({ url, accessToken: "of-a-gateway" });
  });
});

test("a server that is down is named with its URL", async () => {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const error = await rejection(createDeliveryClient({ url, key: "mqp_x" }).page.listPages({}));
  const reason = `connect ECONNREFUSED ${url.slice("http://".length)}`;
  expect(error).toMatchObject({
    message: `[unavailable] cannot reach ${url}: ${reason}`,
    code: Code.Unavailable,
  });
});

test("a response that breaks off is a server that cannot be reached", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).write('{"pages":[');
    setTimeout(() => response.destroy(), 20);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error = await rejection(createDeliveryClient({ url, key: "mqp_x" }).page.listPages({}));
  expect(error).toMatchObject({
    message: `[unavailable] cannot reach ${url}: other side closed`,
    code: Code.Unavailable,
  });
});

test("a redirect is not followed, and sent as Workers of Cloudflare can", async () => {
  const url = "https://api.example";
  const sent: RequestInit[] = [];
  const client = createStudioClient({
    ...{ url, accessToken: "mqa_x" },
    fetch: async (_, init = {}) => {
      sent.push(init);
      return Response.redirect("https://other.example");
    },
  });
  expect(await rejection(client.page.listPages({}))).toMatchObject({
    message: `[unavailable] cannot reach ${url}: unexpected redirect`,
    code: Code.Unavailable,
  });
  // workerd rejects `redirect: "error"`.
  expect(sent).toMatchObject([{ redirect: "manual" }]);
});

test("a call that its caller ends is canceled, and no server down", async () => {
  const { client } = createClient(marquee.keys.public);
  const signal = AbortSignal.abort();
  const error = await rejection(client.page.listPages({}, { signal }));
  expect(error).toMatchObject({ code: Code.Canceled });
});

test("the clients have every service", async () => {
  const services = new Set((await findMethods()).map((it) => it.parent));
  const options = { url: "http://127.0.0.1:1", key: "mqp_x", accessToken: "mqa_x" };
  for (const [{ transport, ...clients }, prefix] of [
    [createDeliveryClient(options), "svc.cda."],
    [createStudioClient(options), "svc.studio."],
  ] as const) {
    const got = Object.entries(clients)
      .filter(([name]) => name !== "watch")
      .map(([, it]) => Object.keys(it).sort());
    const want = [...services]
      .filter((it) => it.typeName.startsWith(prefix))
      .map((it) => it.methods.map(({ localName }) => localName).sort());
    expect(got.sort()).toEqual(want.sort());
    expect(transport).toBeDefined();
  }
});

test.each([
  ["delivery", "svc.cda.", delivery],
  ["studio", "svc.studio.", studio],
] as const)("the module %s has every message of its API", async (_name, prefix, module) => {
  const exported = new Set(
    Object.values<object>(module).map((it) => ("typeName" in it ? it.typeName : "")),
  );
  const missing = new Set<string>();
  const visited = new Set<DescMessage>();
  const visit = (message: DescMessage) => {
    if (visited.has(message) || !message.typeName.startsWith("svc.")) return;
    visited.add(message);
    if (!exported.has(message.typeName)) missing.add(message.typeName);
    for (const { message: below } of message.fields) if (below !== undefined) visit(below);
  };
  for (const { parent, input, output } of await findMethods()) {
    // The modules have the current version of a service only.
    const isReplaced = parent.typeName.includes(".page_component.v1.");
    if (!parent.typeName.startsWith(prefix) || isReplaced) continue;
    visit(input);
    visit(output);
  }
  expect([...missing]).toEqual([]);
});
