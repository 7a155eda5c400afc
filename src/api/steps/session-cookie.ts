import { Code, DomainError } from "../../domain/base/errors.ts";
import { isLoopback } from "../../domain/base/loopback.ts";
import { type RequestHeaders, readHeader } from "./incoming-call.ts";

/** The name of the cookie with a session, without the prefix that binds it to a host. */
const SESSION_COOKIE = "marquee_session";

/** The prefix of cookies that only the host itself sets, over https. */
const HOST_PREFIX = "__Host-";

/**
 * Returns the cookies of a request by name. Of two with one name, the first counts. Names are not trimmed: a sibling domain may
 * set a cookie whose name begins with a no-break space.
 */
export function readCookies(headers: RequestHeaders): ReadonlyMap<string, string> {
  const pairs = (readHeader(headers, "cookie") ?? "").split(/; */).map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [name, value.join("=")] as const;
  });
  return new Map(pairs.toReversed());
}

/** Returns the host that a request names. */
export function hostOf(headers: RequestHeaders): string {
  return readHeader(headers, ":authority") ?? readHeader(headers, "host") ?? "";
}

/** Returns the name of a cookie on https, or on this machine. */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `${HOST_PREFIX}${name}` : name;
}

/** Prints a cookie that only this server reads; a time of 0 seconds deletes it. */
export function printCookie(
  name: string,
  value: string,
  { seconds, sameSite }: { readonly seconds: number; readonly sameSite: "Lax" | "Strict" },
): string {
  const secure = name.startsWith(HOST_PREFIX) ? "; Secure" : "";
  return `${name}=${value}; Path=/; HttpOnly${secure}; SameSite=${sameSite}; Max-Age=${seconds}`;
}

/** Returns the name of the cookie with a session. */
export function sessionCookie(isSecure: boolean): string {
  return cookieName(SESSION_COOKIE, isSecure);
}

/**
 * Returns the session of a request; undefined if it has none. Without the prefix, a cookie counts on this machine only: a
 * sibling domain could set it. UNAUTHENTICATED `SESSION_ORIGIN_INVALID` unless a page of the same origin sends it.
 */
export function readSession(headers: RequestHeaders): string | undefined {
  if (headers.cookie === undefined) return undefined;
  const cookies = readCookies(headers);
  const session =
    cookies.get(sessionCookie(true)) ??
    (isLoopback(hostOf(headers)) ? cookies.get(sessionCookie(false)) : undefined);
  if (session === undefined) return undefined;
  if (headers["sec-fetch-site"] === "same-origin") return session;
  const message = "a session counts only in requests of a page of the same origin";
  throw new DomainError(Code.UNAUTHENTICATED, "SESSION_ORIGIN_INVALID", message);
}
