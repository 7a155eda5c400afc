import { Code, DomainError } from "../domain/errors.ts";
import type { Endpoint } from "../http/server/dispatcher.ts";

/** Creates `/healthz` (the process runs) and `/readyz` (the database responds as well). */
export function healthEndpoints(check: () => Promise<void>): [string, Endpoint][] {
  const alive = jsonEndpoint(() => ({ status: "ok" }), "no-store");
  return [
    ["/healthz", alive],
    [
      "/readyz",
      async (exchange) => {
        await check().catch((cause: unknown) => {
          throw new DomainError(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", "database unavailable", {
            cause,
          });
        });
        return alive(exchange);
      },
    ],
  ];
}

/** Creates an endpoint that answers with the JSON that `read` returns for each request. */
export function jsonEndpoint(read: () => unknown, cacheControl: string): Endpoint {
  const headers = { "content-type": "application/json", "cache-control": cacheControl };
  return async () => ({ status: 200, headers, body: Buffer.from(JSON.stringify(await read())) });
}
