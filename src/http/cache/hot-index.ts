import { CONSISTENCY_HEADER } from "../../call/consistency-token.ts";
import { matchesIfNoneMatch } from "../../domain/messages/etag.ts";
import { encodingOf, type UnaryForm } from "../connect/unary-form.ts";
import type { NodeRequest } from "../server/exchange.ts";
import { chooseCoding } from "./accept-encoding.ts";
import { ByteBoundedMap } from "./byte-bounded-map.ts";
import type { RawHeaders } from "./encoded-answers.ts";
import type { KeptPlace, ResponseCache } from "./response-cache.ts";

/** An answer that is sent without further processing. */
export interface HotAnswer {
  readonly status: 200 | 304;
  readonly rawHeaders: RawHeaders;
  /** Absent in a 304. */
  readonly body?: Uint8Array;
}

/**
 * Maps a request as received, its target and Authorization header byte for byte, to the key of its answer in
 * the cache. Each listener has its own index, so that it finds only its own answers.
 */
export interface HotIndex {
  /**
   * Finds the answer to a plain HTTP/1.1 GET that was answered before at the current revision of the project:
   * since another one, its key may have been revoked.
   */
  find(request: NodeRequest, clock: () => Date): HotAnswer | undefined;
  /** Records the key of the answer to a request. */
  note(request: NodeRequest, place: KeptPlace, form: Pick<UnaryForm, "codec">): void;
}

/** Creates the index over a cache. */
export function createHotIndex(cache: ResponseCache): HotIndex {
  const places = new ByteBoundedMap<HotPlace>(
    cache.budget.places,
    (address, { key }) => address.length + key.length + PLACE_BYTES,
  );

  return {
    find(request, clock) {
      if (!isPlain(request)) return undefined;
      const { url = "", headers } = request;
      const { authorization } = headers;
      const place = authorization && places.get(toAddress(url, authorization));
      if (!place) return undefined;
      const coding = chooseCoding(headers["accept-encoding"]);
      const found = cache.find(place, encodingOf(place, coding), clock);
      if (found === undefined) return undefined;
      const { rawHeaders, rawUnmodifiedHeaders, body } = found;
      return isKnown(headers["if-none-match"], found.headers.etag)
        ? { status: 304, rawHeaders: rawUnmodifiedHeaders }
        : { status: 200, rawHeaders, body };
    },

    note({ url = "", headers: { authorization } }, { key, projectId, revision }, { codec }) {
      if (authorization === undefined) return;
      const place = { key, projectId, revision, protocol: "connect", codec } as const;
      places.set(toAddress(url, authorization), place);
    },
  };
}

/** The place of an answer, and the form in which the request receives it. */
type HotPlace = KeptPlace & UnaryForm;

/** The approximate size of a place beside its texts. */
const PLACE_BYTES = 320;

/** Reports whether a request is a GET over HTTP/1.1 without a body, an expectation or a consistency token. */
function isPlain({ method, httpVersion, headers }: NodeRequest): boolean {
  return (
    method === "GET" &&
    httpVersion === "1.1" &&
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined &&
    headers.expect === undefined &&
    headers[CONSISTENCY_HEADER] === undefined
  );
}

/** Joins the parts of a key by a line break, which neither can contain. */
function toAddress(url: string, authorization: string): string {
  return `${authorization}\n${url}`;
}

function isKnown(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  return ifNoneMatch === etag || matchesIfNoneMatch(ifNoneMatch, etag);
}
