import type {
  ListReleaseItemsRequest,
  ListReleaseItemsResponse,
  ListReleasesRequest,
  ListReleasesResponse,
  SimulateRulesetsRequest,
  SimulateRulesetsResponse,
} from "../../packages/client/src/studio.ts";
import { HERE } from "../here.ts";
import type { HeaderChoices } from "./choices.ts";
import type { JsonOf } from "./json-of.ts";
import type { ReadResponse, Reads } from "./reads.ts";

/** How the service is reached. */
export interface Connection {
  /** A preview key. */
  readonly key: string;
  /** The access token of an account that may read releases and simulate rulesets; empty: none. */
  readonly accessToken: string;
  readonly deliveryUrl: string;
}

/** A response, with the facts in its headers and from the browser. */
export interface CallResponse<T> extends ReadResponse<T> {
  /** From the call to the parsed response. */
  readonly milliseconds: number;
  /** From the request to the first byte; undefined if the browser does not report it. */
  readonly waiting: number | undefined;
  readonly bytes: number;
  readonly status: number;
  readonly surrogateKeys: readonly string[];
  readonly cacheControl: string;
}

/** An error of the service, by its reason, or of the way to it. */
export class CallError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The longest URL of a read, in characters, as in the client; a longer read is a POST. */
const LONGEST_ADDRESS = 8_000;

/** Calls the Delivery API by GET, for a viewer in a country and through releases if they are chosen. */
export function read<P extends keyof Reads>(
  { key, deliveryUrl }: Connection,
  procedure: P,
  request: JsonOf<Reads[P][0]>,
  { country = "", releases = [], moment = "" }: Partial<HeaderChoices> = {},
): Promise<CallResponse<Reads[P][1]>> {
  const path = `${deliveryUrl}/${procedure}`;
  const body = JSON.stringify(request);
  const url = `${path}?encoding=json&message=${encodeURIComponent(body)}`;
  const headers = {
    authorization: `Bearer ${key}`,
    ...(country !== "" && { "x-preview-country": country }),
    ...(releases.length > 0 && { "x-release-id": releases.join(",") }),
    ...(moment !== "" && { "x-preview-time": new Date(moment).toISOString() }),
  };
  return url.length > LONGEST_ADDRESS ? post(path, body, headers) : send(url, { headers });
}

/** The calls of the Studio API that the preview makes, by procedure. None of them changes anything. */
interface StudioCalls {
  "svc.studio.cms.release.v1.ReleaseService/ListReleases": [
    ListReleasesRequest,
    ListReleasesResponse,
  ];
  "svc.studio.cms.release.v1.ReleaseService/ListReleaseItems": [
    ListReleaseItemsRequest,
    ListReleaseItemsResponse,
  ];
  "svc.studio.streaming.ruleset.v2.RulesetService/SimulateRulesets": [
    SimulateRulesetsRequest,
    SimulateRulesetsResponse,
  ];
}

/** Calls the Studio API with the access token. */
export async function callStudio<P extends keyof StudioCalls>(
  { accessToken }: Connection,
  procedure: P,
  request: JsonOf<StudioCalls[P][0]>,
): Promise<JsonOf<StudioCalls[P][1]>> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const url = `${HERE}/${procedure}`;
  return (await post<StudioCalls[P][1]>(url, JSON.stringify(request), headers)).message;
}

function post<T>(
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<CallResponse<T>> {
  const connect = { "content-type": "application/json", "connect-protocol-version": "1" };
  return send(url, { method: "POST", body, headers: { ...headers, ...connect } });
}

// By default the browser measures 250 requests, and a page has more pictures.
performance.setResourceTimingBufferSize(10_000);

async function send<T>(url: string, init: RequestInit): Promise<CallResponse<T>> {
  const start = performance.now();
  const response = await fetch(url, { ...init, cache: "no-store" }).catch(() => {
    throw new CallError("UNREACHABLE", `no response from ${new URL(url).origin}`);
  });
  const text = await response.text();
  if (!response.ok) throw toError(response.status, text);
  const message = JSON.parse(text) as JsonOf<T>;
  const milliseconds = performance.now() - start;
  const timing = performance.getEntriesByName(url).at(-1) as PerformanceResourceTiming | undefined;
  const isTimed = timing !== undefined && timing.responseStart > 0;
  return {
    message,
    milliseconds,
    waiting: isTimed ? timing.responseStart - timing.requestStart : undefined,
    bytes: new TextEncoder().encode(text).length,
    status: response.status,
    surrogateKeys: (response.headers.get("surrogate-key") ?? "").split(" ").filter(Boolean),
    cacheControl: response.headers.get("cache-control") ?? "",
    warnings: JSON.parse(response.headers.get("marquee-warnings") ?? "[]"),
  };
}

interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly { readonly debug?: { readonly reason?: string } }[];
}

function toError(status: number, text: string): CallError {
  try {
    const { code = "", message = "", details = [] } = JSON.parse(text) as ErrorBody;
    const reason = details.map(({ debug }) => debug?.reason).find(Boolean);
    return new CallError(reason ?? code.toUpperCase(), message);
  } catch {
    return new CallError(`HTTP ${status}`, text.slice(0, 200));
  }
}
