import {
  type DescMethodUnary,
  fromJson,
  type JsonValue,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { describe, expect, test } from "vitest";
import { connectHeaders, getUrl } from "../harness/calls.ts";
import { reasonOf, send } from "../harness/http.ts";
import { authorize } from "../harness/transports.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { methodSamples, sampleOf } from "./method-samples.ts";
import { findMethods, type JsonMessage, procedureOf } from "./methods.ts";

const marquee = await useMarquee();

/** The methods that are no reads (contract: delivery 3). */
const WRITES = ["ExchangeToken", "AuthorizePlayback", "KeepPlayback", "StopPlayback"];

const methods = (await findMethods()).filter((it) => procedureOf(it).startsWith("svc.cda."));
const marked = methods.filter((it) => !WRITES.includes(it.name)) as DescMethodUnary[];
/** What a viewer has to sign in for is nobody else's; `list-entitlements.test.ts` reads it. */
const reads = marked.filter((it) => methodSamples[procedureOf(it)]?.cookie === undefined);

test("what writes has no GET", async () => {
  for (const method of methods.filter((it) => WRITES.includes(it.name))) {
    const url = `${marquee.url}/${getUrl(procedureOf(method), {})}`;
    const got = await send("GET", url, { token: marquee.keys.public });
    expect([method.name, got.status, got.headers.get("allow")]).toEqual([method.name, 405, "POST"]);
  }
});

/** A request that succeeds; without items, as those of a match depend on the viewer's country. */
async function messageOf(method: DescMethodUnary): Promise<JsonMessage> {
  return { ...(await sampleOf(marquee, method)), includeItems: false };
}

const get = (method: DescMethodUnary, message: JsonMessage, headers = {}, token?: string) =>
  send("GET", `${marquee.url}/${getUrl(procedureOf(method), message)}`, {
    token: token ?? marquee.keys.public,
    headers,
  });

const post = (method: DescMethodUnary, message: JsonMessage, token?: string) =>
  send("POST", `${marquee.url}/${procedureOf(method)}`, {
    headers: connectHeaders(token ?? marquee.keys.public),
    body: message,
  });

/** The transports of browsers, and gRPC, by what a request of theirs is. */
const TRANSPORTS: Readonly<Record<string, (options: Options) => Transport>> = {
  "Connect GET with JSON": (it) => createConnectTransport({ ...it, useHttpGet: true }),
  "Connect GET in binary": (it) =>
    createConnectTransport({ ...it, useHttpGet: true, useBinaryFormat: true }),
  "Connect POST with JSON": (it) => createConnectTransport(it),
  "Connect POST in binary": (it) => createConnectTransport({ ...it, useBinaryFormat: true }),
  "gRPC-Web": (it) => createGrpcWebTransport(it),
  "gRPC-Web with JSON": (it) => createGrpcWebTransport({ ...it, useBinaryFormat: false }),
  gRPC: (it) => createGrpcTransport(it),
};
type Options = { baseUrl: string; interceptors: ReturnType<typeof authorize>[] };

async function call(
  method: DescMethodUnary,
  message: JsonMessage,
  create: (options: Options) => Transport,
): Promise<JsonValue> {
  const interceptors = [authorize(marquee.keys.public)];
  const transport = create({ baseUrl: marquee.url, interceptors });
  const input = fromJson(method.input, message as JsonValue, { ignoreUnknownFields: true });
  const response = await transport.unary(method, undefined, undefined, undefined, input);
  return toJson(method.output, response.message as MessageShape<typeof method.output>);
}

for (const method of reads) {
  const message = await messageOf(method);
  describe(procedureOf(method), () => {
    test("returns to a GET and a POST with the same JSON, in lowerCamelCase", async () => {
      const [read, posted] = [await get(method, message), await post(method, message)];
      expect([read.status, posted.status]).toEqual([200, 200]);
      expect(posted.text).toBe(read.text);
      const names = Object.keys(read.json);
      expect(names).not.toEqual([]);
      for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]*$/);
    });

    for (const [name, create] of Object.entries(TRANSPORTS)) {
      test(`returns to a client's ${name} with the same message`, async () => {
        const want = (await get(method, message)).json;
        expect(await call(method, message, create)).toEqual(want);
      });
    }

    test("ignores JSON fields that it does not know", async () => {
      const more = { ...message, nobody: { knows: [null, 1] }, "": 0 };
      const want = (await get(method, message)).text;
      for (const got of [await get(method, more), await post(method, more)]) {
        expect([got.status, got.text]).toEqual([200, want]);
      }
    });

    test("rejects a Connect POST without connect-protocol-version: 1", async () => {
      const { "connect-protocol-version": _, ...headers } = connectHeaders(marquee.keys.public);
      const url = `${marquee.url}/${procedureOf(method)}`;
      const got = await send("POST", url, { headers, body: message });
      expect([got.status, got.json.code]).toEqual([400, "invalid_argument"]);
      expect(reasonOf(got)).toBe("CONNECT_PROTOCOL_VERSION_REQUIRED");
    });

    test("lets a page of any site call it, after a preflight", async () => {
      for (const verb of ["GET", "POST"]) {
        const preflight = await send("OPTIONS", `${marquee.url}/${procedureOf(method)}`, {
          headers: {
            origin: "https://fans.example",
            "access-control-request-method": verb,
            "access-control-request-headers": "authorization,connect-protocol-version,content-type",
          },
        });
        expect(preflight.status).toBe(204);
        expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
        expect(preflight.headers.get("access-control-allow-methods")).toContain(verb);
      }
      const got = await get(method, message, { origin: "https://fans.example" });
      expect(got.headers.get("access-control-allow-origin")).toBe("*");
    });

    test("has a strong ETag, and 304 for it, also where the request says no-cache", async () => {
      const { headers } = await get(method, message);
      const tag = headers.get("etag") ?? "";
      expect(tag).toMatch(/^"[^"]+"$/);
      const again = { "if-none-match": tag, "cache-control": "no-cache", pragma: "no-cache" };
      const got = await get(method, message, again);
      expect([got.status, got.text, got.headers.get("etag")]).toEqual([304, "", tag]);
      const other = await get(method, message, { "if-none-match": '"other"' });
      expect(other.status).toBe(200);
    });

    test("may be kept by a CDN for a public key alone, and by nobody for a preview key", async () => {
      const { headers } = await get(method, message);
      expect(headers.get("cache-control")).toMatch(
        /^public, s-maxage=[1-9]\d*, stale-while-revalidate=[1-9]\d*$/,
      );
      expect(headers.get("vary")).toBe("Authorization, Accept-Encoding");
      const preview = await get(method, message, {}, marquee.keys.preview);
      const told = ["cache-control", "vary"].map((name) => preview.headers.get(name));
      expect([preview.status, ...told]).toEqual([200, "private, no-store", null]);
    });

    test("has errors that nobody keeps", async () => {
      const errors = [
        await get(method, message, {}, "mqp_nobody"),
        await get(method, message, {}, marquee.tokens.owner),
        await send("GET", `${marquee.url}/${procedureOf(method)}?encoding=json&message=%7B`, {
          token: marquee.keys.public,
        }),
      ];
      expect(errors.map((it) => it.status)).toEqual([401, 401, 400]);
      for (const { headers } of errors) {
        expect([headers.get("cache-control"), headers.get("etag")]).toEqual(["no-store", null]);
      }
    });
  });
}
