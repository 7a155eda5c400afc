import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ContextValues, Interceptor } from "@connectrpc/connect";
import { type Caller, findCaller } from "../auth/caller.ts";

/** How long a shared cache keeps an answer, and how long it may show it while it asks anew: in s. */
const PUBLIC = "public, s-maxage=60, stale-while-revalidate=300";

/**
 * Says who may keep an answer (CONTRACT 6, Freshness): anybody, if a public key alone took part in a
 * read; nobody, if a preview key did or if it was no read; the account's own client, which has to ask
 * again, in management. A handler that knows better says so itself.
 */
export const cacheControlInterceptor: Interceptor = (next) => async (request) => {
  const response = await next(request);
  if (!response.header.has("cache-control")) {
    const isRead = request.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    const { cacheControl, vary } = decide(isRead, request.contextValues);
    response.header.set("cache-control", cacheControl);
    if (vary !== undefined) response.header.set("vary", vary);
  }
  return response;
};

function decide(isRead: boolean, values: ContextValues): { cacheControl: string; vary?: string } {
  const caller: Caller | undefined = findCaller(values);
  if (caller?.kind === "account") return { cacheControl: "private, no-cache" };
  if (isRead && caller?.key.kind === "public") {
    return { cacheControl: PUBLIC, vary: "Authorization, Accept-Encoding, Origin" };
  }
  return { cacheControl: "private, no-store" };
}
