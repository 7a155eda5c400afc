import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { throwByReason } from "./error.ts";

/** How the client reaches the service. */
interface ServiceOptions {
  /** Where the service answers, such as `https://api.example.com`. */
  readonly url: string;
  /** Run around every call, outside the translation of errors; default none. */
  readonly interceptors?: readonly Interceptor[];
  /** Sends the requests; default the global `fetch`. Next.js, for one, takes tags here. */
  readonly fetch?: typeof fetch;
  /** The deadline of each call in milliseconds, which the service is told; default none. */
  readonly defaultTimeoutMs?: number;
}

/** How to read a project's published content, and what its viewers do. */
export interface DeliveryOptions extends ServiceOptions {
  /**
   * A project key, or a viewer token, which makes every call that viewer's. A public key stands in the address of a
   * cacheable read, so that browsers send no preflight and CDNs keep the answer; anything else only in a header.
   */
  readonly key: string;
}

/** How to manage an organization. */
export interface StudioOptions extends ServiceOptions {
  /** An access token. It is a secret: not for websites. */
  readonly accessToken: string;
  /** The organization to work in, for an account that has roles in another than its own; default its own. */
  readonly organization?: string;
}

/** The prefix of public keys, the only credentials that may stand in an address. */
const PUBLIC = "mqp_";

/** The service takes 100 levels of JSON, which responses wrap; protobuf reads as many by default. */
const RECURSION_LIMIT = 1_000;

/** The longest address of a read, in characters: some CDNs take 8 KiB. A longer read is sent as a POST. */
const LONGEST_ADDRESS = 8_000;

/** Creates the transport of delivery, for libraries that take one, such as `@connectrpc/connect-query`. */
export function createDeliveryTransport(options: DeliveryOptions): Transport {
  const { key } = options;
  return createTransport(options, true, (url, init, headers) => {
    const isGet = init.method === "GET";
    const address = isGet && key.startsWith(PUBLIC) ? `${url}&key=${encodeURIComponent(key)}` : url;
    if (address === url || address.length > LONGEST_ADDRESS) {
      headers.set("authorization", `Bearer ${key}`);
    }
    return address.length > LONGEST_ADDRESS && isGet
      ? toPost(url, init, headers)
      : [address, { ...init, headers }];
  });
}

/** Creates the transport of studio. */
export function createStudioTransport(options: StudioOptions): Transport {
  const { accessToken, organization } = options;
  return createTransport(options, false, (url, init, headers) => {
    headers.set("authorization", `Bearer ${accessToken}`);
    if (organization !== undefined) headers.set("x-organization-id", organization);
    return [url, { ...init, headers }];
  });
}

/** Changes a request before it is sent; `headers` is the request's own copy. */
type Address = (url: string, init: RequestInit, headers: Headers) => [string, RequestInit];

function createTransport(options: ServiceOptions, useHttpGet: boolean, address: Address) {
  const { url, interceptors = [], defaultTimeoutMs } = options;
  return createConnectTransport({
    baseUrl: url,
    useHttpGet,
    jsonOptions: { recursionLimit: RECURSION_LIMIT },
    interceptors: [...interceptors, throwByReason],
    fetch: (input, init = {}) => {
      // Looked up for each call, as servers replace the global one.
      const send = options.fetch ?? fetch;
      return send(...address(String(input), init, new Headers(init.headers)));
    },
    ...(defaultTimeoutMs !== undefined && { defaultTimeoutMs }),
  });
}

/** Sends a read as a POST, with the message of its address as the body. */
function toPost(url: string, init: RequestInit, headers: Headers): [string, RequestInit] {
  const { origin, pathname, searchParams } = new URL(url);
  headers.set("content-type", "application/json");
  headers.set("connect-protocol-version", "1");
  const body = searchParams.get("message") ?? "";
  return [origin + pathname, { ...init, method: "POST", headers, body }];
}
