import { Code } from "../domain/errors.ts";
import type { Exchange } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { malformedRequest, Refusal } from "./refusal.ts";
import { headersTooLarge } from "./unreadable.ts";

/** A host name, an IPv4 address or a bracketed IPv6 address, and perhaps a port. */
const AUTHORITY = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/;

/**
 * Refuses requests that must not get further: an address or headers over the limit, an address that
 * is no path, a malformed or missing host. Throws a Refusal.
 */
export function checkRequest({ request }: Exchange): void {
  const url = request.url ?? "";
  if (Buffer.byteLength(url) > HTTP_LIMITS.url) {
    throw new Refusal(
      414,
      Code.RESOURCE_EXHAUSTED,
      "URL_TOO_LONG",
      `the address is longer than ${HTTP_LIMITS.url} bytes`,
    );
  }
  if (sizeOfHeaders(request.rawHeaders) > HTTP_LIMITS.headers) throw headersTooLarge();
  if (!url.startsWith("/")) throw malformedRequest("URL_MALFORMED", "the address is not a path");
  const authority = request.headers[":authority"] ?? request.headers.host;
  if (authority === undefined && request.httpVersion === "1.0") return;
  if (typeof authority !== "string" || !isAuthority(authority)) {
    throw malformedRequest("HOST_MALFORMED", "the Host header is missing or malformed");
  }
}

function isAuthority(text: string): boolean {
  const match = AUTHORITY.exec(text);
  return match !== null && Number(match[1] ?? 0) <= 65_535;
}

function sizeOfHeaders(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((size, text) => size + text.length, 0);
}
