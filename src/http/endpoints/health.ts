import { Code, DomainError, databaseUnavailable } from "../../domain/base/errors.ts";
import type { Readiness } from "../../storage/contract/store.ts";
import type { Endpoint } from "../listener/exchange.ts";

/**
 * Creates `/healthz` (the process runs) and `/readyz` (it accepts requests, and `readState` finds a database that
 * responds), which reports the state of the database.
 */
export function healthEndpoints(readState: () => Promise<Readiness>): [string, Endpoint][] {
  const readReadiness = async () => {
    try {
      return { status: "ok", ...(await readState()) };
    } catch (cause) {
      if (cause instanceof DomainError) throw cause;
      throw databaseUnavailable(cause);
    }
  };
  return [
    ["/healthz", jsonEndpoint(() => ({ status: "ok" }), "no-store")],
    ["/readyz", jsonEndpoint(readReadiness, "no-store")],
  ];
}

/** Creates the error of a server that accepts requests for a while before it ends. */
export function shuttingDown(): DomainError {
  return new DomainError(Code.UNAVAILABLE, "SHUTTING_DOWN", "the server is shutting down");
}

/** Creates an endpoint that returns the JSON that `read` returns for each request, on one line. */
export function jsonEndpoint(read: () => unknown, cacheControl: string): Endpoint {
  const headers = { "content-type": "application/json", "cache-control": cacheControl };
  return async () => ({
    status: 200,
    headers,
    body: Buffer.from(`${JSON.stringify(await read())}\n`),
  });
}
