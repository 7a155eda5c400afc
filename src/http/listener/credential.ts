import type { IncomingHttpHeaders } from "node:http";

/** What tells the credential of a request. */
export interface RequestTarget {
  readonly headers: IncomingHttpHeaders;
  readonly url?: string | undefined;
}

/**
 * Returns the token of a request: the last word of its Authorization header, which may be written in many ways, or the
 * key in its URL; undefined without one.
 */
export function findCredential({
  headers: { authorization },
  url = "",
}: RequestTarget): string | undefined {
  if (authorization !== undefined) {
    const text = authorization.trimEnd();
    return text.slice(text.lastIndexOf(" ") + 1);
  }
  const mark = url.indexOf("?");
  return mark === -1 ? undefined : (new URLSearchParams(url.slice(mark)).get("key") ?? undefined);
}
