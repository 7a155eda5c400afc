import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { throwByReason } from "./error.ts";
import { RECURSION_LIMIT, toInit } from "./input.ts";
import { addSchema } from "./json.ts";
import { logWarnings } from "./warnings.ts";
import { WAIT_HEADER } from "./watch.ts";

/** How the client reaches Marquee. */
interface ServiceOptions {
  /** The URL of Marquee, such as `https://api.example.com`. Required. */
  readonly url: string | undefined;
  /** Run around every call, outside the translation of errors; default none. */
  readonly interceptors?: readonly Interceptor[];
  /** Sends the requests; default the global `fetch`. Next.js, for one, takes tags here. */
  readonly fetch?: typeof fetch;
  /** The deadline of each call in milliseconds, which the client also sends; default none. */
  readonly defaultTimeoutMs?: number;
}

/** How to read a project's published content and to make the calls of viewers. */
export interface DeliveryOptions extends ServiceOptions {
  /**
   * A project key, or a viewer token for the calls of one viewer. A public key is part of the URL of a cacheable read,
   * so that browsers send no preflight and CDNs cache the response. Other credentials are only in a header. Required.
   */
  readonly key: string | undefined;
}

/** How to manage an organization. */
export interface StudioOptions extends ServiceOptions {
  /** An access token. It is a secret: not for websites. Required. */
  readonly accessToken: string | undefined;
  /** The organization to work in, for an account that has roles in another than its own; default its own. */
  readonly organization?: string;
}

/** The prefix of access tokens. */
const ACCESS = "mqa_";

/** The prefix of public keys, the only credentials that may be in a URL. */
const PUBLIC = "mqp_";

/** The prefix of preview keys. */
const PREVIEW = "mqv_";

/**
 * Whether a page of a browser sends the requests. Its cache may serve a stale response for as long as a CDN may, and no
 * webhook purges it. With `no-cache`, it asks whether the response has changed.
 */
const IN_BROWSER = "document" in globalThis;

/** The longest URL of a read, in characters: some CDNs take 8 KiB. A longer read is sent as a POST. */
const LONGEST_URL = 8_000;

/**
 * Creates the transport of the Delivery API, for libraries that take one, such as `@connectrpc/connect-query`. Throws a
 * `TypeError` for an option that is missing or of the wrong kind.
 */
export function createDeliveryTransport(options: DeliveryOptions): Transport {
  const { key } = options;
  if (!key || key.startsWith(ACCESS)) {
    const given = key ? "an access token, which is a secret of the Studio API" : `'${key}'`;
    throw new TypeError(
      `key: must be a project key (mqp_… or mqv_…) or a viewer token, not ${given}`,
    );
  }
  checkCredential("key", key);
  return createTransport(options, true, (url, init, headers) => {
    const isGet = init.method === "GET";
    const wait = headers.get(WAIT_HEADER) ?? "";
    headers.delete(WAIT_HEADER);
    const keyed = isGet && isPublic(key) ? `${url}&key=${encodeURIComponent(key)}${wait}` : url;
    if (keyed === url || keyed.length > LONGEST_URL) headers.set("authorization", `Bearer ${key}`);
    if (keyed.length > LONGEST_URL && isGet) return toPost(url, init, headers);
    if (!IN_BROWSER) return [keyed, { ...init, headers }];
    // The request that ends a stream outlives the page of the player.
    const keepalive = url.endsWith("/StopPlayback");
    return [keyed, { ...init, headers, ...(isGet ? { cache: "no-cache" } : { keepalive }) }];
  });
}

/** Creates the transport of the Studio API. Throws a `TypeError` for an option that is missing or of the wrong kind. */
export function createStudioTransport(options: StudioOptions): Transport {
  const { accessToken, organization } = options;
  if (!accessToken || isPublic(accessToken) || accessToken.startsWith(PREVIEW)) {
    const given = accessToken
      ? "a project key, which only reads the Delivery API"
      : `'${accessToken}'`;
    throw new TypeError(`accessToken: must be an access token (mqa_…), not ${given}`);
  }
  checkCredential("accessToken", accessToken);
  return createTransport(options, false, (url, init, headers) => {
    headers.set("authorization", `Bearer ${accessToken}`);
    if (organization !== undefined) headers.set("x-organization-id", organization);
    return [url, { ...init, headers }];
  });
}

/** Reports whether a key is a public one. */
export function isPublic(key = ""): boolean {
  return key.startsWith(PUBLIC);
}

/** Rejects a credential that no header can contain: the error of the header would quote it. */
function checkCredential(name: string, credential: string): void {
  if (/^[!-~]+$/.test(credential)) return;
  throw new TypeError(`${name}: must have visible ASCII characters and no spaces`);
}

/** Checks a URL; no error quotes what may be a user and a password. */
function checkUrl(url: string | undefined): asserts url is string {
  // A path is for a browser whose site passes requests on.
  const isPath = url?.startsWith("/") && !url.startsWith("//");
  const parsed = isPath ? undefined : parseUrl(url);
  if (!isPath && parsed === undefined) {
    const given = String(url).replace(/^.*@/s, "…@");
    throw new TypeError(
      `url: must be the URL of Marquee, such as https://api.example.com, not '${given}'`,
    );
  }
  if (parsed?.username || parsed?.password) {
    throw new TypeError("url: must have no user and no password");
  }
}

/** Parses an http or https URL; undefined for another text. Browsers of televisions have no `URL.canParse`. */
function parseUrl(text = ""): URL | undefined {
  try {
    return /^https?:\/\//.test(text) ? new URL(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Changes a request before it is sent; `headers` is the request's own copy. */
type Address = (url: string, init: RequestInit, headers: Headers) => [string, RequestInit];

function createTransport(
  options: ServiceOptions,
  useHttpGet: boolean,
  address: Address,
): Transport {
  const { url, interceptors = [], defaultTimeoutMs } = options;
  checkUrl(url);
  const cannotReach = (cause: unknown) =>
    new ConnectError(`cannot reach ${url}: ${reasonOf(cause)}`, Code.Unavailable, {}, [], cause);
  const nameBreak: Interceptor = (next) => async (request) => {
    try {
      return await next(request);
    } catch (cause) {
      // As `fetch` reports a response that breaks off.
      throw cause instanceof TypeError && !request.signal.aborted ? cannotReach(cause) : cause;
    }
  };
  const transport = createConnectTransport({
    baseUrl: url,
    useHttpGet,
    jsonOptions: { recursionLimit: RECURSION_LIMIT },
    interceptors: [...interceptors, logWarnings, throwByReason, nameBreak],
    fetch: async (input, init = {}) => {
      // Looked up for each call, because servers replace the global one.
      const send = options.fetch ?? fetch;
      const [target, request] = address(String(input), init, new Headers(init.headers));
      try {
        // Workers of Cloudflare do not know Connect's `redirect: "error"`.
        const response = await send(target, { ...request, redirect: "manual" });
        if (!isRedirect(response)) return response;
        throw new Error("unexpected redirect");
      } catch (cause) {
        throw init.signal?.aborted ? cause : cannotReach(cause);
      }
    },
    ...(defaultTimeoutMs !== undefined && { defaultTimeoutMs }),
  });
  return {
    ...transport,
    async unary(method, signal, timeoutMs, header, input, contextValues) {
      addSchema(method.output);
      const init = toInit(method.input, input) as MessageInitShape<typeof method.input>;
      return transport.unary(method, signal, timeoutMs, header, init, contextValues);
    },
  };
}

/** Whether a response redirects to another URL; browsers hide its status. */
function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

/** Returns why `fetch` failed. Node says it in the cause, such as `connect ECONNREFUSED 127.0.0.1:8080`. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? reasonOf(cause.cause) : cause.message || cause.name;
}

/** Sends a read as a POST, with the message of its URL as the body. */
function toPost(url: string, init: RequestInit, headers: Headers): [string, RequestInit] {
  const [path = "", query] = url.split("?", 2);
  headers.set("content-type", "application/json");
  headers.set("connect-protocol-version", "1");
  const body = new URLSearchParams(query).get("message") ?? "";
  return [path, { ...init, method: "POST", headers, body }];
}
