import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ContextValues, Interceptor } from "@connectrpc/connect";
import { type Caller, findCaller } from "./caller.ts";
import { divideFreshness, type Freshness, getFreshness } from "./freshness.ts";
import { toSurrogateKey } from "./surrogate-key.ts";

/** How long a CDN keeps an answer, and how long it may show it while it asks anew: in seconds. */
const UNLIMITED = { cdn: 60, stale: 300 };

const NOBODY = "private, no-store";

/**
 * Says who may keep an answer (CONTRACT 6, Freshness): anybody, if a public key alone took part in a
 * read, for as long as the handler allows; nobody, if a preview key or something of the viewer did or
 * if it was no read; the account's own client, which has to ask again, in management. A handler that
 * knows better says so itself, but makes nothing public that is a viewer's own.
 */
export const cacheControlInterceptor: Interceptor = (next) => async (request) => {
  const response = await next(request);
  const isRead = request.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const { isPersonal } = getFreshness(request.contextValues);
  for (const [name, value] of Object.entries(decide(isRead, request.contextValues))) {
    if (isPersonal || !response.header.has(name)) response.header.set(name, value);
  }
  return response;
};

function decide(isRead: boolean, values: ContextValues): Record<string, string> {
  const caller: Caller | undefined = findCaller(values);
  const freshness = getFreshness(values);
  if (caller?.kind === "account") return { "cache-control": "private, no-cache" };
  if (!isRead || caller?.key.kind !== "public" || freshness.isPersonal) {
    return { "cache-control": NOBODY };
  }
  return toPublicHeaders(freshness);
}

function toPublicHeaders({ seconds, resources }: Freshness): Record<string, string> {
  const { cdn, stale } = seconds === undefined ? UNLIMITED : divideFreshness(seconds);
  const surrogateKey = toSurrogateKey(resources);
  return {
    "cache-control": `public, s-maxage=${cdn}, stale-while-revalidate=${stale}`,
    vary: "Authorization, Accept-Encoding",
    ...(surrogateKey !== "" && { "surrogate-key": surrogateKey }),
  };
}
