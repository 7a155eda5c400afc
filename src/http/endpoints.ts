import { Code, DomainError } from "../domain/errors.ts";
import type { Endpoint } from "./dispatcher.ts";

/** Creates `/healthz` (the process is alive) and `/readyz` (the database answers too). */
export function healthEndpoints(check: () => Promise<void>): [string, Endpoint][] {
  const alive = jsonEndpoint({ status: "ok" }, "no-store");
  return [
    ["/healthz", alive],
    [
      "/readyz",
      async () => {
        await check().catch((cause: unknown) => {
          throw new DomainError(
            Code.UNAVAILABLE,
            "DATABASE_UNAVAILABLE",
            "the database does not answer",
            { cause },
          );
        });
        return alive();
      },
    ],
  ];
}

/** Creates an endpoint that always answers the same JSON. */
export function jsonEndpoint(content: unknown, cacheControl: string): Endpoint {
  const body = Buffer.from(JSON.stringify(content));
  const headers = { "content-type": "application/json", "cache-control": cacheControl };
  return () => ({ status: 200, headers, body });
}
