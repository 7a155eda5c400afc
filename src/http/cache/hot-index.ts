import type { IncomingHttpHeaders } from "node:http";
import { CONSISTENCY_HEADER } from "../../api/steps/consistency-token.ts";
import { matchesIfNoneMatch } from "../../domain/messages/etag.ts";
import { ENVELOPE_PREFIX } from "../connect/envelopes.ts";
import { chooseEncoding, type UnaryForm } from "../connect/unary-form.ts";
import { readTimeout } from "../server/deadline.ts";
import type { ReadyHead } from "../server/ready-head.ts";
import type { RequestSeries } from "../server/request-metrics.ts";
import { ByteBoundedMap } from "./byte-bounded-map.ts";
import type { EncodedAnswer } from "./encoded-answers.ts";
import type { KeptPlace, ResponseCache } from "./response-cache.ts";

/** An answer that is sent without further processing. */
export interface HotAnswer {
  readonly head: ReadyHead;
  /** Absent in a 304. */
  readonly body?: Uint8Array;
  readonly trailers?: EncodedAnswer["trailers"] | undefined;
  /** Counts the requests that it answers. */
  readonly series: RequestSeries;
}

/** A request without its body. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Maps a request as received, its target, message and deciding headers byte for byte, to the key of its answer in
 * the cache. Each listener has its own index, so that it finds only its own answers.
 */
export interface HotIndex {
  /** Reports whether the answer to a POST may be found by its body. */
  awaitsBody(head: RequestHead): boolean;
  /**
   * Finds the answer to a GET, or to a POST with an uncompressed body, that was answered before at the current
   * revision of the project: since another one, its key may have been revoked. None with a consistency token.
   */
  find(head: RequestHead, body: Buffer | undefined, clock: () => Date): HotAnswer | undefined;
  /** Records the key of the answer to a request; `message` is its message, decompressed. */
  note(head: RequestHead, message: Uint8Array, place: CountedPlace, form: UnaryForm): void;
}

/** A place whose answers count as requests of a series. */
export type CountedPlace = KeptPlace & { readonly series: RequestSeries };

/** The longest message of a POST that is recorded, in bytes. */
const MAX_MESSAGE = 4_096;

/** Creates the index over a cache. */
export function createHotIndex(cache: ResponseCache): HotIndex {
  const places = new ByteBoundedMap<HotPlace>(
    cache.budget.places,
    (address, { key }) => address.length + key.length + PLACE_BYTES,
  );
  /** The targets of recorded POSTs: the paths of methods. */
  const targets = new Set<string>();

  return {
    awaitsBody({ method, url = "", headers }) {
      return method === "POST" && targets.has(url) && headers.expect === undefined;
    },

    find(head, body, clock) {
      if (head.headers[CONSISTENCY_HEADER] !== undefined) return undefined;
      const address = body === undefined ? toGetAddress(head) : toPostAddress(head, body);
      const place = address === undefined ? undefined : places.get(address);
      if (place === undefined) return undefined;
      const timeout = readTimeout(head, place.protocol);
      if (timeout.error !== undefined || timeout.timeoutMs === 0) return undefined;
      const found = cache.find(place, chooseEncoding(place, head), clock);
      if (found === undefined) return undefined;
      const { series } = place;
      const isUnmodified =
        body === undefined && isKnown(head.headers["if-none-match"], found.headers.etag);
      return isUnmodified
        ? { head: found.unmodifiedHead, series }
        : { head: found.head, body: found.body, trailers: found.trailers, series };
    },

    note(head, message, { key, projectId, revision, series }, { protocol, codec, isKeyed, query }) {
      const { url = "" } = head;
      const isGet = query !== undefined;
      if (!isGet && !isPlainPost(url, message)) return;
      const address = isGet ? toAddress(head) : toMessageAddress(head, message);
      places.set(address, {
        ...{ key, projectId, revision, series, protocol, codec },
        ...(isKeyed && { isKeyed }),
      });
      if (!isGet) targets.add(url);
    },
  };
}

/** The place of an answer, and the form in which the request receives it. */
type HotPlace = CountedPlace & UnaryForm;

/** The approximate size of a place beside its texts. */
const PLACE_BYTES = 320;

/** Reports whether a POST is short and has no query, of which there would be any number. */
function isPlainPost(url: string, { length }: Uint8Array): boolean {
  return length <= MAX_MESSAGE && !url.includes("?");
}

/** Returns the address of a GET; undefined if it announces a body or an expectation. */
function toGetAddress(head: RequestHead): string | undefined {
  const { method, headers } = head;
  const isPlain =
    method === "GET" &&
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined &&
    headers.expect === undefined;
  return isPlain ? toAddress(head) : undefined;
}

/** Returns the address of a POST; undefined if its body is not one uncompressed message. */
function toPostAddress(head: RequestHead, body: Buffer): string | undefined {
  const { headers } = head;
  if (isCompressed(headers["content-encoding"]) || isCompressed(headers["grpc-encoding"])) {
    return undefined;
  }
  const isFramed = headers["content-type"]?.startsWith("application/grpc");
  const message = isFramed ? readOnlyMessage(body) : body;
  if (message === undefined || message.length > MAX_MESSAGE) return undefined;
  return toMessageAddress(head, message);
}

function isCompressed(encoding: string | string[] | undefined): boolean {
  return encoding !== undefined && encoding !== "identity";
}

/** Returns the message of a body of gRPC that has no flags and nothing behind it. */
function readOnlyMessage(body: Buffer): Buffer | undefined {
  const length = body.length - ENVELOPE_PREFIX;
  if (length < 0 || body[0] !== 0 || body.readUInt32BE(1) !== length) return undefined;
  return body.subarray(ENVELOPE_PREFIX);
}

/**
 * Joins the parts of an address by line breaks, which only a message can contain. Without an Authorization header, the
 * credential is in the target.
 */
function toAddress({ url = "", headers: { authorization } }: RequestHead): string {
  return `${authorization ?? ""}\n${url}`;
}

function toMessageAddress(head: RequestHead, message: Uint8Array): string {
  const { "content-type": type, "connect-protocol-version": version } = head.headers;
  const text = Buffer.from(message.buffer, message.byteOffset, message.length).toString("latin1");
  return `${toAddress(head)}\n${type}\n${version}\n${text}`;
}

function isKnown(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  return ifNoneMatch === etag || matchesIfNoneMatch(ifNoneMatch, etag);
}
