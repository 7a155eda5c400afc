import { type DescMethod, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import type { Random } from "../../demo/data/random.ts";
import { type ProtocolRequest, procedureOf, toProtocolRequests } from "../../test/api/methods.ts";
import { frame } from "../../test/harness/grpc-frame.ts";
import { createMessage } from "./messages.ts";
import type { Tenant } from "./tenants.ts";
import { chance, createText, pick } from "./values.ts";

/** A tenant's credentials, none at all, or invalid ones. */
export type Sender = "red" | "blue" | "none" | "broken";

/** A request on the wire. */
export interface FuzzRequest {
  readonly sender: Sender;
  readonly protocol: "http1" | "http2";
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The caller hangs up after this many milliseconds; absent: it waits for the response. */
  readonly hangUpAfter?: number;
}

/** The ingredients of requests. */
export interface RequestSource {
  readonly random: Random;
  readonly methods: readonly DescMethod[];
  readonly tenants: Readonly<Record<"red" | "blue", Tenant>>;
  /** The viewer tokens of users who are signed in. */
  readonly viewerTokens: Readonly<Record<"red" | "blue", string>>;
  /** Page tokens and ETags of the latest responses. */
  readonly tokens: readonly string[];
}

/** Creates a request of any method or path of the service. */
export function createRequest(source: RequestSource): FuzzRequest {
  const { random } = source;
  const sender = pick(random, SENDERS);
  const request = chance(random, 4)
    ? createEndpointRequest(source, sender)
    : createCall(source, sender);
  const damaged =
    chance(random, 8) && !isLifeline(request.path) ? damage(random, request) : request;
  const isStream = STREAMS.some((path) => request.path.startsWith(path));
  const hangUpAfter = isStream ? 50 : chance(random, 1) ? random.below(50) : undefined;
  return {
    ...damaged,
    path: damaged.path.replace(/[^!-~]/gu, encodeURIComponent),
    ...(hangUpAfter !== undefined && { hangUpAfter }),
  };
}

const SENDERS: readonly Sender[] = [
  "red",
  "red",
  "red",
  "red",
  "blue",
  "blue",
  "blue",
  "blue",
  "none",
  "broken",
];

/** Calls that do not end by themselves. */
const STREAMS = ["/grpc.health.v1.Health/Watch", "/grpc.reflection."];

function createCall(source: RequestSource, sender: Sender): FuzzRequest {
  const { random, methods } = source;
  const method = pick(random, methods);
  const { tenant, other } = sidesOf(source, sender);
  const json = createMessage(method.input, {
    ...{ ...source, tenant, other },
    room: { left: MOST_CHARACTERS },
  }) as JsonObject;
  if (LIFELINES.includes(method.name)) json.validateOnly = true;
  const headers = createHeaders(source, sender, method.parent.typeName.startsWith("svc.studio."));
  const form = pick(random, FORMS);
  const bytes = form === "json" ? undefined : encode(method, json);
  if (bytes === undefined) {
    const protocol = pick(random, toProtocolRequests(method, toCamelKeys(json)));
    return { ...toRequest(protocol), sender, headers: { ...protocol.headers, ...headers } };
  }
  const path = `/${procedureOf(method)}`;
  const call = { sender, method: "POST", path } as const;
  switch (form) {
    case "proto":
      return {
        ...call,
        protocol: pick(random, ["http1", "http2"] as const),
        headers: {
          ...headers,
          "content-type": "application/proto",
          "connect-protocol-version": "1",
        },
        body: bytes,
      };
    case "grpc":
      return {
        ...call,
        protocol: "http2",
        headers: { ...headers, "content-type": "application/grpc+proto", te: "trailers" },
        body: frame(bytes),
      };
    default:
      return {
        ...call,
        protocol: "http1",
        headers: { ...headers, "content-type": "application/grpc-web+proto" },
        body: frame(bytes),
      };
  }
}

/** About how large a message may become: nested lists would grow without end. */
const MOST_CHARACTERS = 400_000;

/** Methods that would delete a tenant: only dry runs, so that the tenants last to the last request. */
const LIFELINES = [
  "DeleteAccount",
  "DeleteBinding",
  "DeleteOrganization",
  "DeleteProject",
  "DeleteProjectKey",
  "RevokeAccessToken",
];

function isLifeline(path: string): boolean {
  return /^\/iam\//.test(path) || LIFELINES.some((name) => path.endsWith(`/${name}`));
}

const FORMS = ["json", "json", "json", "proto", "grpc", "grpc-web"] as const;

/** Senders without a tenant write neither canary, so that no response may contain one. */
function sidesOf({ random, tenants }: RequestSource, sender: Sender) {
  const isRed = sender === "red" || (sender !== "blue" && chance(random, 50));
  const [own, other] = isRed ? [tenants.red, tenants.blue] : [tenants.blue, tenants.red];
  if (sender === "red" || sender === "blue") return { tenant: own, other };
  return { tenant: { ...own, canary: "nobody", secretIds: new Map() }, other };
}

function toRequest({ method, path, body }: ProtocolRequest) {
  return {
    protocol: "http1" as const,
    method,
    path,
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
  };
}

/** The variables of paths are looked up by their JSON names. */
function toCamelKeys(json: JsonObject): JsonObject {
  const toCamel = (name: string) =>
    name.replace(/_([a-z0-9])/g, (_, it: string) => it.toUpperCase());
  return Object.fromEntries(Object.entries(json).map(([name, it]) => [toCamel(name), it]));
}

/** Writes a message in binary; undefined if it has a value that no message can represent. */
function encode({ input }: DescMethod, json: JsonObject): Uint8Array | undefined {
  try {
    return toBinary(input, fromJson(input, json, { ignoreUnknownFields: true }));
  } catch {
    return undefined;
  }
}

function createHeaders(
  { random, tenants, viewerTokens, tokens }: RequestSource,
  sender: Sender,
  isStudioService: boolean,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (sender === "red" || sender === "blue") {
    const { accessToken, publicKey, previewKey } = tenants[sender];
    const keys = chance(random, 75) ? [publicKey] : [publicKey, previewKey, viewerTokens[sender]];
    const isRight = chance(random, 97);
    headers.authorization = `Bearer ${isStudioService === isRight ? accessToken : pick(random, keys)}`;
    if (chance(random, 10)) headers.cookie = `viewer_token=${viewerTokens[sender]}`;
  } else if (sender === "broken") {
    headers.authorization = pick(random, [
      "Bearer",
      "Bearer ",
      "Basic YTpi",
      `Bearer ${tenants.red.accessToken.slice(0, -1)}`,
      `Bearer ${tenants.blue.publicKey}x`,
      `bearer mqa_${"a".repeat(2_000)}`,
      `Bearer ${viewerTokens.red.slice(0, -4)}AAAA`,
    ]);
    if (chance(random, 30)) headers.cookie = "viewer_token=a.b.c; viewer_token=x";
  }
  for (const [name, values] of Object.entries(HEADERS)) {
    if (chance(random, 3)) headers[name] = pick(random, values);
  }
  if (tokens.length > 0 && chance(random, 5)) headers["if-none-match"] = pick(random, tokens);
  if (tokens.length > 0 && chance(random, 3)) headers["if-match"] = pick(random, tokens);
  return headers;
}

const RELEASES = ["release-00-red", "release-01-red", "release-00-blue", "release-01-blue"];

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  "accept-encoding": ["gzip", "br", "gzip;q=0.5, br;q=0", "x", "identity;q=0, *;q=0", ",,,"],
  "connect-timeout-ms": ["1000", "9999999999", "99999999999", "-1", "x"],
  "grpc-timeout": ["1S", "99999999H", "x"],
  "if-none-match": ["*", '"x"', `W/"${"x".repeat(2_000)}"`, '"'],
  "x-request-id": ["fuzz", "a b", "x".repeat(500)],
  "x-release-id": [...RELEASES, RELEASES.join(), "release-00-red-hidden", "x", ",", "é"],
  "x-preview-time": ["2026-06-11T18:00:00Z", "2030-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "x"],
  "x-preview-audience": ["public", "x"],
  origin: ["https://example.com", "null"],
  "x-forwarded-for": ["1.2.3.4", "::1, x", ",".repeat(500)],
  "grpc-encoding": ["gzip", "br", "x"],
  accept: ["text/html", "*/*"],
};

/** Creates a request to a path that is not a method: the service's own paths, streams, unknown paths. */
function createEndpointRequest(source: RequestSource, sender: Sender): FuzzRequest {
  const { random } = source;
  const { tenant } = sidesOf(source, sender);
  const headers = createHeaders(source, sender, chance(random, 50));
  const [method, path] = pick(random, [
    ["GET", "/healthz"],
    ["GET", "/readyz"],
    ["GET", "/metrics"],
    ["GET", "/.well-known/jwks.json"],
    ["GET", `/playback/v1/verify?project_id=${tenant.projectId}&uri=/a/b.m3u8?token=x`],
    ["GET", `/playback/v1/verify?uri=${"%2e%2e%2f".repeat(random.below(500))}`],
    ["POST", `/monetization/billing_events/v1/${tenant.projectId}`],
    ["POST", "/grpc.health.v1.Health/Watch"],
    ["POST", "/grpc.health.v1.Health/Check"],
    ["POST", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"],
    ["POST", "/svc.cda.cms.event.v1.EventService/NoSuchMethod"],
    ["GET", "/no/such/path"],
    ["OPTIONS", "/svc.cda.cms.event.v1.EventService/ListEvents"],
    ["GET", `/${encodeURIComponent(createText(random, "x")).slice(0, 10_000)}`],
  ] as const);
  const isGrpc = path.startsWith("/grpc.") && chance(random, 80);
  const body = method === "POST" ? Buffer.from(createText(random, '{"type":"x"}')) : undefined;
  return {
    ...{ sender, method, path },
    protocol: isGrpc ? "http2" : "http1",
    headers: { ...headers, ...(isGrpc && { "content-type": "application/grpc", te: "trailers" }) },
    ...(body !== undefined && { body: isGrpc ? frame(body) : body }),
  };
}

/** Breaks a request somewhere. */
function damage(random: Random, request: FuzzRequest): FuzzRequest {
  const { body = new Uint8Array(), headers, path } = request;
  switch (random.below(7)) {
    case 0:
      return { ...request, body: body.subarray(0, random.below(body.length + 1)) };
    case 1: {
      const bytes = Buffer.from(body);
      if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
      return { ...request, body: bytes };
    }
    case 2: {
      const type = pick(random, CONTENT_TYPES);
      return { ...request, headers: { ...headers, "content-type": type } };
    }
    case 3: {
      const coding = pick(random, ["gzip", "br", "deflate", "x", "identity"]);
      return { ...request, headers: { ...headers, "content-encoding": coding } };
    }
    case 4: {
      const at = random.below(path.length);
      const piece = pick(random, ["%zz", "//", "%2F", "..%2f", "%00", "?", "&", "%ff", ":", "/"]);
      return { ...request, path: `/${path.slice(1, at)}${piece}${path.slice(Math.max(1, at))}` };
    }
    case 5:
      return {
        ...request,
        method: pick(random, ["PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "GET"]),
      };
    default:
      return { ...request, headers: { ...headers, "connect-protocol-version": "2" } };
  }
}

const CONTENT_TYPES = [
  "text/plain",
  "application/json; charset=utf-16",
  "application/grpc-web-text",
  "application/connect+json",
  "application/grpc",
  "application/proto",
  "multipart/form-data",
  "x",
];
