import {
  type FileDenialReason,
  type FileVerdict,
  PLAYBACK_TOKEN,
  type PlaylistUrls,
} from "../../auth/playlist-url.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import type { Endpoint, Exchange, HttpResponse } from "../listener/exchange.ts";
import { toStatusResponse } from "../rest/status.ts";

/** The path for edge servers to verify requests for files. */
export const VERIFY_PATH = "/playback/v1/verify";

const MESSAGES: Readonly<Record<FileDenialReason, string>> = {
  PROJECT_MISSING:
    "the edge server must send the project exactly once: /playback/v1/verify?project_id=…",
  TOKEN_MISSING: "the request has no playback token",
  SIGNATURE_INVALID: "the playback token does not grant this file",
  PROJECT_NOT_ALLOWED: "the playback token is for another project",
  URL_EXPIRED: "the playback token has expired",
  ADDRESS_NOT_BOUND: "the playback token is for another IP address",
};

/** The request that an edge server received. */
interface OriginalRequest {
  readonly path: string;
  readonly query: string;
  readonly host?: string | undefined;
  readonly isSecure: boolean;
}

/**
 * Creates `GET /playback/v1/verify`, the sub-request of an edge server (`auth_request` of nginx) for
 * each file below a signed playlist. Returns 204, or 403 with the reason in `Marquee-Reason`, without a
 * database lookup.
 *
 * - The parameter `project_id` names the project of the file and comes from the edge server's configuration.
 *   If it is repeated, as a viewer might do, it is ignored.
 * - The parameter `uri`, or else the header `X-Original-URI`, contains the original request target, as sent.
 *   If it includes scheme and host, the host is checked as well.
 * - The token is in the query of that target or in the cookie `playback_token`.
 * - The viewer is the client of the request behind trusted proxies: the edge server must be one of them and set
 *   `X-Forwarded-For`.
 *
 * A 204 names the session in `Marquee-Session` and, if the token came in the query, sets the cookie for the
 * folder, because players request segments without the playlist's query.
 */
export function verifyEndpoint(playlistUrls: Pick<PlaylistUrls, "verify">): Endpoint {
  return (exchange) => {
    const { headers } = exchange.request;
    const original = readOriginal(exchange);
    const cookies = readCookies(headers.cookie, PLAYBACK_TOKEN);
    const [projectId, ...others] = new URLSearchParams(exchange.query).getAll("project_id");
    const verdict = playlistUrls.verify({
      projectId: others.length === 0 ? projectId : undefined,
      path: original.path,
      host: original.host,
      tokens: [...new URLSearchParams(original.query).getAll(PLAYBACK_TOKEN), ...cookies],
      address: exchange.address,
      now: exchange.now,
    });
    if (verdict.kind === "deny") return deny(verdict.reason);
    const isKnown = cookies.includes(verdict.token);
    return {
      status: 204,
      headers: {
        "cache-control": "no-store",
        "marquee-session": verdict.sessionKey,
        ...(!isKnown && { "set-cookie": printCookie(verdict, original, exchange.now) }),
      },
      body: new Uint8Array(),
    };
  };
}

function readOriginal({ request, query }: Exchange): OriginalRequest {
  // If the edge server sends the parameter, the header may be forged by the viewer.
  const uri = new URLSearchParams(query).get("uri");
  const text = uri ?? String(request.headers["x-original-uri"] ?? "");
  const [, scheme, named, target = ""] = /^(?:(https?):\/\/([^/?#]*))?(.*)$/is.exec(text) ?? [];
  const mark = target.indexOf("?");
  return {
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? "" : target.slice(mark + 1),
    host: named,
    // Without a scheme, https is assumed.
    isSecure: scheme?.toLowerCase() !== "http",
  };
}

function readCookies(header: string | undefined, name: string): string[] {
  return (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

function printCookie(
  { token, folder, expireTime }: Extract<FileVerdict, { kind: "allow" }>,
  { isSecure }: OriginalRequest,
  now: Date,
): string {
  const seconds = Math.ceil((expireTime.getTime() - now.getTime()) / 1_000);
  // The player's page is on another site than the files: browsers then require Secure.
  const site = isSecure ? "Secure; SameSite=None; Partitioned" : "SameSite=Lax";
  return `${PLAYBACK_TOKEN}=${token}; Path=${folder}; Max-Age=${seconds}; HttpOnly; ${site}`;
}

function deny(reason: FileDenialReason): HttpResponse {
  const error = new DomainError(Code.PERMISSION_DENIED, reason, MESSAGES[reason]);
  const response = toStatusResponse(error);
  return { ...response, headers: { ...response.headers, "marquee-reason": reason } };
}
