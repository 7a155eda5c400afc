import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ContextValues, Interceptor } from "@connectrpc/connect";
import { type Freshness, getPart, setPart } from "./call.ts";
import { divideFreshness } from "./freshness.ts";

/** The times, in seconds, for which a CDN keeps an unlimited answer and serves it while it revalidates. */
const UNLIMITED = { cdn: 60, stale: 300 };

/** The maximum length of the `Surrogate-Key` header, in bytes: proxies truncate or refuse longer ones. */
const MAX_SURROGATE_KEY_BYTES = 4_096;

const NOBODY = "private, no-store";

/**
 * Decides who may keep an answer (contract: delivery 7). A read with only a public key: any cache, for as
 * long as the handler allows. A read with a preview key or personal data of the viewer, and any other call:
 * no cache; the surrogate keys of a read with a preview key are shown nevertheless. Management: the account's
 * own client, which must revalidate. A handler may set the headers itself, but cannot make a viewer's own
 * data public.
 */
export const cacheControlInterceptor: Interceptor = (next) => async (request) => {
  const response = await next(request);
  const isRead = request.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  setPart(request.contextValues, "caching", decide(isRead, request.contextValues));
  return response;
};

function decide(isRead: boolean, values: ContextValues): Record<string, string> {
  const caller = getPart(values, "caller");
  const freshness = getPart(values, "freshness");
  if (caller.kind === "account") return { "cache-control": "private, no-cache" };
  if (!isRead || caller.key.kind !== "public" || freshness.isPersonal) {
    const isPreviewed = isRead && caller.key.kind === "preview";
    return { "cache-control": NOBODY, ...(isPreviewed && toKeyHeader(freshness)) };
  }
  return toPublicHeaders(freshness);
}

function toPublicHeaders(freshness: Freshness): Record<string, string> {
  const { seconds } = freshness;
  const { cdn, stale } = seconds === undefined ? UNLIMITED : divideFreshness(seconds);
  return {
    "cache-control": `public, s-maxage=${cdn}, stale-while-revalidate=${stale}`,
    vary: "Authorization, Accept-Encoding",
    ...toKeyHeader(freshness),
  };
}

function toKeyHeader({ resources }: Freshness): Record<string, string> {
  const surrogateKey = toSurrogateKey(resources);
  return surrogateKey === "" ? {} : { "surrogate-key": surrogateKey };
}

/**
 * Writes the `Surrogate-Key` header of an answer: the keys of everything it was made from, each once,
 * percent-encoded and separated by spaces.
 *
 * Where the header would exceed 4 KiB, single resources (`worldcup/events/match-1`) are replaced by their
 * collection (`worldcup/events`), the largest collection first, and if that is not enough, all keys of a
 * project by the project. To miss no answer, purge the key of a changed resource and every prefix of it that
 * ends before a slash.
 */
export function toSurrogateKey(keys: Iterable<string>): string {
  let encoded = new Set<string>();
  for (const key of keys) if (key !== "") encoded.add(encode(key));
  for (const depth of [2, 1]) {
    while (sizeOf(encoded) > MAX_SURROGATE_KEY_BYTES) {
      const largest = findLargest(encoded, depth);
      if (largest === undefined) break;
      encoded = new Set(Array.from(encoded, (it) => (it.startsWith(`${largest}/`) ? largest : it)));
    }
  }
  return [...encoded].join(" ");
}

/** Finds the prefix of `depth` segments whose longer keys take the most bytes, if there is one. */
function findLargest(keys: Iterable<string>, depth: number): string | undefined {
  const sizes = new Map<string, number>();
  for (const key of keys) {
    const segments = key.split("/");
    if (segments.length <= depth) continue;
    const start = segments.slice(0, depth).join("/");
    sizes.set(start, (sizes.get(start) ?? 0) + key.length + 1);
  }
  const [largest] = Array.from(sizes).sort(([, a], [, b]) => b - a);
  return largest?.[0];
}

function sizeOf(keys: ReadonlySet<string>): number {
  let size = -1;
  for (const { length } of keys) size += length + 1;
  return size;
}

/** Most keys have no other characters; to look for one is faster than to replace them. */
const PLAIN = /^[\w.~/-]*$/;

function encode(key: string): string {
  if (PLAIN.test(key)) return key;
  return key.replace(/[^\w.~/-]/gu, (character) =>
    Array.from(
      Buffer.from(character),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    ).join(""),
  );
}
