import { randomBytes } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { PlaylistUrls } from "../../src/auth/playlist-url.ts";
import { createToken, type TokenKind } from "../../src/auth/token.ts";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import { createSecret } from "../../src/outbox/signature.ts";
import { askGrpc, askRaw } from "../harness/ask.ts";
import { PROCEDURES } from "../harness/calls.ts";
import { captureLog } from "../harness/captured-log.ts";
import { frame } from "../harness/grpc-frame.ts";
import { send } from "../harness/http.ts";
import { head } from "../harness/raw-socket.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { sampleOf } from "./method-samples.ts";
import { findMethods, type JsonMessage, procedureOf, toProtocolRequests } from "./methods.ts";
import { listPlaces } from "./request-places.ts";

// Each place of each request carries a secret, by its descriptor, so that a new method and a new field are tested
// without a word here. Secrets take turns at the places.

const { log, lines } = captureLog("trace");
const marquee = await useMarquee({ log });
const { identityProvider, keys, tokens, url } = marquee;
const METHODS = (await findMethods()).filter(({ methodKind }) => methodKind === "unary");
const { listEvents } = PROCEDURES;

/** A secret as requests carry it, and the part of it that is secret. */
interface Secret {
  readonly text: string;
  readonly part: string;
}

const whole = (text: string): Secret => ({ text, part: text });
const random = (prefix: string, text: string): Secret => ({
  text,
  part: text.slice(prefix.length),
});
/** The signature of a JWT comes last. */
const jwt = (text: string): Secret => ({ text, part: text.slice(text.lastIndexOf(".") + 1) });

const PASSWORD = "hunter2";
const now = new Date();
const expireTime = new Date(now.getTime() + 60_000);
const viewer = { projectId: "worldcup", userId: "ann" };
const viewerTokens = await openViewerTokens(marquee.store, now);
const identity = { subject: "ann", audience: "website", issueTime: now, expireTime };
const grant = { projectId: "worldcup", expireTime, sessionKey: "session" };
const signed = new PlaylistUrls(randomBytes(32)).sign("https://media.example/a/b.m3u8", grant);
const KINDS: readonly TokenKind[] = ["access", "public", "preview"];
const SECRETS: readonly Secret[] = [
  ...[tokens.owner, keys.public, keys.preview].map((it) => random("mqa_", it)),
  // Some that open nothing now, cut and with other characters.
  ...KINDS.map((kind) => random("mqa_", createToken(kind).slice(0, 30))),
  random("mqa_", `${createToken("access")}.;`),
  random("whsec_", createSecret(randomBytes)),
  jwt(await viewerTokens.sign(viewer, now, expireTime)),
  jwt(await identityProvider.sign(identity)),
  whole(new URL(signed).searchParams.get("playback_token") ?? ""),
  ...["https", "postgres"].map((it) => ({
    text: `${it}://user:${PASSWORD}@host.example/a`,
    part: PASSWORD,
  })),
];

let turns = 0;
const nextSecret = (): string => {
  turns += 1;
  return SECRETS[turns % SECRETS.length]?.text ?? "";
};

/** An error that a request got. */
interface Reply {
  readonly request: string;
  readonly text: string;
}
const replies: Reply[] = [];

async function ask(
  request: string,
  method: string,
  path: string,
  { headers = {}, body, token }: Parameters<typeof send>[2] = {},
): Promise<void> {
  const got = await send(method, url + path, { headers, body, token });
  if (got.status >= 400) replies.push({ request, text: got.text });
}

const tokenOf = (method: DescMethod) =>
  method.parent.typeName.startsWith("svc.studio.") ? tokens.owner : keys.preview;

/** Replaces each text in a value. */
function withTexts(value: unknown, text: string): unknown {
  if (typeof value === "string") return text;
  if (Array.isArray(value)) return value.map((it) => withTexts(it, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, it]) => [
      typeof it === "object" || typeof it === "string" ? name : text,
      withTexts(it, text),
    ]),
  );
}

async function rehearsalOf(method: DescMethod): Promise<JsonMessage> {
  const canBeTried = method.input.fields.some(({ name }) => name === "validate_only");
  return { ...(await sampleOf(marquee, method)), ...(canBeTried && { validateOnly: true }) };
}

const HEADERS = [
  ...["authorization", "cookie", "x-request-id", "x-consistency-token", "x-organization-id"],
  ...["x-release-id", "x-preview-time", "x-preview-audience", "if-match", "if-none-match"],
  ...["origin", "traceparent", "accept-encoding", "content-encoding", "content-type"],
  ...["connect-protocol-version", "connect-timeout-ms", "x-http-method-override", "expect"],
] as const;

/** The limits of texts, and of keys in maps and free JSON. */
const TEXTS: ReadonlySet<string> = new Set(["characters", "jsonCharacters", "key"]);

/** The fields of resources, which several methods take. */
const sent = new Set<string>();

/** Sends a secret in each field of a message, over each protocol of its method. */
async function sendInFields(method: DescMethod, message: JsonMessage): Promise<void> {
  for (const { path, limit, fills, put } of listPlaces(method.input)) {
    if (!TEXTS.has(limit) || sent.has(path)) continue;
    if (path.includes(".")) sent.add(path);
    const [fill] = Object.values(fills);
    const filled = put(message, withTexts(fill?.(1), nextSecret()));
    const requests = toProtocolRequests(method, filled);
    const request = requests[turns % requests.length] ?? expect.fail();
    const { headers, body } = request;
    const name = `${procedureOf(method)} ${path}`;
    await ask(name, request.method, request.path, { headers, body, token: tokenOf(method) });
  }
}

/** Sends a secret in each other place of the requests of a method. */
async function sendBesideFields(method: DescMethod, message: JsonMessage): Promise<void> {
  const name = procedureOf(method);
  const token = tokenOf(method);
  const requests = toProtocolRequests(method, message);
  const request = requests[turns % requests.length] ?? expect.fail();
  const { path, body } = request;
  const mark = path.includes("?") ? "&" : "?";
  for (const [place, query] of [
    ["key", `key=${encodeURIComponent(nextSecret())}`],
    ["unknown parameter", `access_token=${nextSecret()}`],
    ["name of a parameter", `${nextSecret()}=1`],
  ]) {
    const sent = { headers: request.headers, body };
    await ask(`${name} ${place}`, request.method, `${path}${mark}${query}`, sent);
  }
  await ask(`${name} path`, request.method, `${path.split("?")[0]}/${nextSecret()}`, {
    body,
    token,
  });
  await ask(`${name} wrong method`, "PUT", `${path}${mark}key=${nextSecret()}`, { token });
  const secret = nextSecret();
  const bodies = [`{"${secret}": 1}`, `{"a": ${secret}`, `"${secret}"`];
  const broken = { headers: request.headers, body: bodies[turns % bodies.length], token };
  const [verb, target] = body === undefined ? ["POST", `/${name}`] : [request.method, path];
  await ask(`${name} broken body`, verb, target, broken);
}

/** Sends a secret in each header. */
async function sendInHeaders(text: string): Promise<void> {
  for (const name of HEADERS) {
    const headers = { [name]: text };
    await ask(name, "GET", "/cms/events/v1?project_id=worldcup", { headers, token: tokens.owner });
    await ask(name, "POST", listEvents, { headers, body: "{}", token: keys.preview });
  }
}

/** Sends a secret where there is no method, or no request. */
async function sendMalformed(text: string): Promise<void> {
  await ask("unknown path", "GET", `/${text}`);
  await ask("unknown procedure", "POST", `/svc.cda.${text}/Get`);
  await ask("unknown service of health", "GET", `/healthz?service=${text}`);
  await ask("verification", "GET", `/playback/v1/verify?project_id=${text}&playback_token=${text}`);
  for (const request of [
    `${text}\r\n\r\n`,
    `GET ${text}\r\n\r\n`,
    head(`${text} /`),
    head("GET /", { [text]: "1" }),
    head("GET /readyz", { "Transfer-Encoding": text }),
    head("GET /readyz", { "Content-Length": text }),
    head("GET /readyz", { Host: text }),
  ]) {
    replies.push({ request, text: (await askRaw(url, request)).text });
  }
  for (const call of [
    { body: Buffer.from(text) },
    { body: frame(Buffer.from(text)) },
    { headers: { "grpc-timeout": text } },
    { headers: { "grpc-encoding": text } },
    { token: text },
  ]) {
    const got = await askGrpc(url, listEvents, { token: keys.public, ...call });
    const { "grpc-message": sent = "" } = { ...got.headers, ...got.trailers };
    const status = { ...got.headers, ...got.trailers }["grpc-status-details-bin"] ?? "";
    const details = Buffer.from(String(status), "base64").toString("latin1");
    replies.push({ request: "gRPC", text: `${decodeURIComponent(String(sent))} ${details}` });
  }
}

test("no error and no line of the log quotes a secret", async () => {
  for (const method of METHODS) {
    const message = await rehearsalOf(method);
    await sendInFields(method, message);
    await sendBesideFields(method, message);
  }
  for (const { text } of SECRETS) {
    await sendInHeaders(text);
    await sendMalformed(text);
  }
  const isQuoting = (text: string) => SECRETS.some(({ part }) => text.includes(part));
  expect(replies.length).toBeGreaterThan(1_000);
  expect(lines.length).toBeGreaterThan(replies.length);
  expect(replies.filter(({ text }) => isQuoting(text))).toEqual([]);
  expect(lines.map((it) => JSON.stringify(it)).filter(isQuoting)).toEqual([]);
});
