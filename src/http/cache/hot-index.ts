import { matchesIfNoneMatch } from "../../domain/messages/etag.ts";
import type { NodeRequest } from "../server/exchange.ts";
import { findRefusal } from "../server/request-limits.ts";
import { type Coding, chooseCoding } from "./accept-encoding.ts";
import { ByteBoundedMap } from "./byte-bounded-map.ts";
import type { RawHeaders } from "./encoded-answer.ts";
import type { PublicKey, ResponseCache } from "./response-cache.ts";

/** An answer that can be sent as it is. */
export interface ReadyAnswer {
  readonly status: 200 | 304;
  readonly rawHeaders: RawHeaders;
  /** Absent in a 304. */
  readonly body?: Uint8Array;
}

/**
 * Knows under which key of the cache the answer to a request lies, by what came on the wire: its
 * address and its Authorization header, byte for byte. Of one listener: what another one answers
 * is not found here.
 */
export interface ReadyAnswers {
  /**
   * Finds the answer to a plain HTTP/1.1 GET that was asked for before, unless the project has changed
   * since: the key may have been revoked.
   */
  find(request: NodeRequest, clock: () => Date): ReadyAnswer | undefined;
  /** Notes under which key the answer to an address and an Authorization header lies. */
  note(url: string, authorization: string, place: Place): void;
}

/** Where an answer lies, and by whose key it was asked for. */
interface Place {
  readonly key: string;
  readonly owner: PublicKey;
}

/** Creates the index over a cache. */
export function createReadyAnswers(cache: ResponseCache): ReadyAnswers {
  const places = new ByteBoundedMap<Place>(
    cache.maxBytes / 16,
    (address, { key }) => address.length + key.length + PLACE_BYTES,
  );
  const codings = new Map<string, Coding>();

  return {
    find(request, clock) {
      if (!isPlain(request) || findRefusal(request) !== undefined) return undefined;
      const { url = "", headers } = request;
      const { authorization } = headers;
      const place = authorization && places.get(toAddress(url, authorization));
      if (!place) return undefined;
      const coding = codingOf(headers["accept-encoding"]);
      const found = cache.find(place.key, coding, place.owner, clock);
      if (found === undefined) return undefined;
      const { rawHeaders, rawUnmodifiedHeaders, body } = found;
      return isKnown(headers["if-none-match"], found.headers.etag)
        ? { status: 304, rawHeaders: rawUnmodifiedHeaders }
        : { status: 200, rawHeaders, body };
    },

    note(url, authorization, place) {
      places.set(toAddress(url, authorization), place);
    },
  };

  /** There are few such headers in the world; of many, some client makes them up. */
  function codingOf(header = ""): Coding {
    const known = codings.get(header);
    if (known !== undefined) return known;
    const coding = chooseCoding(header);
    if (codings.size < MAX_CODINGS && header.length < MAX_CODING_LENGTH)
      codings.set(header, coding);
    return coding;
  }
}

const PLACE_BYTES = 256;
const MAX_CODINGS = 256;
const MAX_CODING_LENGTH = 128;

/** Tells whether a request is a GET over HTTP/1.1 that sends nothing and expects nothing. */
function isPlain({ method, httpVersion, headers }: NodeRequest): boolean {
  return (
    method === "GET" &&
    httpVersion === "1.1" &&
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined &&
    headers.expect === undefined
  );
}

/** Neither part holds a line break. */
function toAddress(url: string, authorization: string): string {
  return `${authorization}\n${url}`;
}

function isKnown(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  return ifNoneMatch === etag || matchesIfNoneMatch(ifNoneMatch, etag);
}
