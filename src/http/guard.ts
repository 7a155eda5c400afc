import type { Exchange, NodeRequest } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { headersTooLarge, malformedRequest, urlTooLong } from "./refusal.ts";

/** A host name, an IPv4 address or a bracketed IPv6 address, and perhaps a port. */
const AUTHORITY = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/;

/**
 * Refuses requests that must not get further: an address or headers over the limit, an address that
 * is no path, a malformed, missing or second host. Throws a Refusal.
 */
export function checkRequest({ request }: Exchange): void {
  const url = request.url ?? "";
  if (Buffer.byteLength(url) > HTTP_LIMITS.url) throw urlTooLong(HTTP_LIMITS.url);
  if (sizeOfHeaders(request.rawHeaders) > HTTP_LIMITS.headers) {
    throw headersTooLarge(HTTP_LIMITS.headers);
  }
  if (!url.startsWith("/")) throw malformedRequest("URL_MALFORMED", "the address is not a path");
  const authority = request.headers[":authority"] ?? request.headers.host;
  if (authority === undefined && request.httpVersion === "1.0") return;
  if (typeof authority !== "string" || !isAuthority(authority) || hasTwoHosts(request)) {
    throw malformedRequest("HOST_MALFORMED", "the Host header is missing, malformed or repeated");
  }
}

function isAuthority(text: string): boolean {
  const match = AUTHORITY.exec(text);
  return match !== null && Number(match[1] ?? 0) <= 65_535;
}

/** RFC 9112 3.2. Node keeps the first of two, which a proxy in front may not have looked at. */
function hasTwoHosts({ rawHeaders }: NodeRequest): boolean {
  const isHost = (text: string, index: number) => index % 2 === 0 && text.toLowerCase() === "host";
  return rawHeaders.filter(isHost).length > 1;
}

/** Counts names and values; the address has a limit of its own, also as HTTP/2's `:path`. */
function sizeOfHeaders(rawHeaders: readonly string[]): number {
  let size = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (!name.startsWith(":")) size += name.length + (rawHeaders[index + 1] ?? "").length;
  }
  return size;
}
