import type { NodeRequest } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { httpError, type Rejection } from "./rejection.ts";

/** A host name, an IPv4 address or a bracketed IPv6 address, optionally with a port. */
const AUTHORITY = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/;

/**
 * Returns the rejection of a request whose target or headers exceed the limits, whose target is not a path, or whose
 * host is missing, malformed or repeated.
 */
export function findRejection(request: NodeRequest): Rejection | undefined {
  const { url = "", headers, rawHeaders } = request;
  if (Buffer.byteLength(url) > HTTP_LIMITS.url) return httpError.urlTooLong(HTTP_LIMITS.url);
  const { size, hosts } = countHeaders(rawHeaders);
  if (size > HTTP_LIMITS.headers) return httpError.headersTooLarge(HTTP_LIMITS.headers);
  if (!url.startsWith("/"))
    return httpError.malformedRequest("URL_MALFORMED", "the request target must be a path");
  const authority = headers[":authority"] ?? headers.host;
  if (authority === undefined && request.httpVersion === "1.0") return undefined;
  // A client of gRPC names its target there, such as a list of addresses or a service of its resolver.
  if (request.stream !== undefined && headers["content-type"]?.startsWith("application/grpc"))
    return undefined;
  // RFC 9112 3.2. Node keeps the first of two hosts, while a proxy in front may have used the other.
  if (typeof authority === "string" && isAuthority(authority) && hosts <= 1) return undefined;
  const message = "the Host header is missing, malformed or repeated";
  return httpError.malformedRequest("HOST_MALFORMED", message);
}

function isAuthority(text: string): boolean {
  const match = AUTHORITY.exec(text);
  return match !== null && Number(match[1] ?? 0) <= 65_535;
}

/**
 * Counts the hosts and the bytes of names and values. The target, also as HTTP/2's `:path`, has its own
 * limit.
 */
function countHeaders(rawHeaders: readonly string[]): { size: number; hosts: number } {
  let size = 0;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.startsWith(":")) continue;
    size += name.length + (rawHeaders[index + 1] ?? "").length;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return { size, hosts };
}

/** A target with scheme and host. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)(.*)$/i;

/**
 * Rewrites a target of HTTP/1.1 with scheme and host to its path. Its host replaces the Host header (RFC 9112 3.2.2).
 */
export function toOriginForm(request: NodeRequest): void {
  const [, authority, path = ""] = ABSOLUTE_FORM.exec(request.url ?? "") ?? [];
  if (authority === undefined || request.stream !== undefined) return;
  // HTTP/1.1 requires the header nevertheless.
  if (request.headers.host !== undefined) request.headers.host = authority;
  request.url = path.startsWith("/") ? path : `/${path}`;
}
