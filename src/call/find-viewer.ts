import type { HandlerContext } from "@connectrpc/connect";
import { refuseToken } from "../auth/jwt.ts";
import type { ViewerTokens } from "../auth/viewer-token.ts";
import { Code, DomainError } from "../domain/errors.ts";
import { getPart, getProjectKey, getRequest } from "./context.ts";
import { markPersonal } from "./freshness.ts";
import type { FindCountry, FindVpn, PlacedCall } from "./viewer-place.ts";

/** The cookie in which a viewer token may come beside a public key (contract: sign-in 4). */
const COOKIE = "viewer_token";

/** What is known of the viewer who calls. */
export interface CallingViewer {
  /** The client's address, behind trusted proxies: IPv4, or IPv6 in its shortest form. */
  readonly address: string;
  /** ISO 3166-1 alpha-2, upper case; undefined: not known. */
  readonly country: string | undefined;
  /** Whether the address is one of a VPN or another anonymizer; undefined: not known. */
  readonly vpn: boolean | undefined;
  /** The HTTP referrer; undefined: none was sent. */
  readonly referrer: string | undefined;
  /** The user id of a valid viewer token for the project; undefined: there is none. */
  readonly userId: string | undefined;
  /**
   * Why the viewer token in the cookie is invalid, and so ignored (contract: sign-in 4): UNAUTHENTICATED
   * `TOKEN_EXPIRED`, `TOKEN_MALFORMED`, `SIGNATURE_INVALID`, `ISSUER_UNKNOWN` or `AUDIENCE_NOT_ALLOWED`. A
   * handler that needs a user refuses with it; undefined: the token is valid, or none came.
   */
  readonly tokenFault: DomainError | undefined;
}

/** Finds out who watches, and from where. */
export type FindViewer = (context: HandlerContext) => Promise<CallingViewer>;

/** Where the facts of a viewer come from. */
export interface ViewerSources {
  readonly viewerTokens: Pick<ViewerTokens, "verify">;
  readonly findCountry: FindCountry;
  readonly findVpn: FindVpn;
}

/**
 * Creates the search for the calling viewer. The viewer token is that of the Authorization header, which
 * was checked as the call's credentials, or else the cookie's; the answer is then marked personal.
 */
export function createFindViewer({
  viewerTokens,
  findCountry,
  findVpn,
}: ViewerSources): FindViewer {
  async function readUser(call: PlacedCall): Promise<Pick<CallingViewer, "tokenFault" | "userId">> {
    const caller = getPart(call.values, "caller");
    if (caller.kind === "project" && caller.viewer !== undefined) {
      return { userId: caller.viewer.userId, tokenFault: undefined };
    }
    const token = readCookie(call.requestHeader.get("cookie") ?? "", COOKIE);
    if (token === undefined || token === "") return { userId: undefined, tokenFault: undefined };
    try {
      const { projectId, userId } = await viewerTokens.verify(token, getRequest(call.values).now);
      if (projectId === getProjectKey(call.values).projectId) {
        return { userId, tokenFault: undefined };
      }
      throw refuseToken("AUDIENCE_NOT_ALLOWED", "the token is for another project");
    } catch (fault) {
      if (!(fault instanceof DomainError) || fault.code !== Code.UNAUTHENTICATED) throw fault;
      return { userId: undefined, tokenFault: fault };
    }
  }

  return async (context) => {
    markPersonal(context.values);
    return {
      address: getRequest(context.values).address,
      country: findCountry(context),
      vpn: findVpn(context),
      referrer: context.requestHeader.get("referer") ?? undefined,
      ...(await readUser(context)),
    };
  };
}

/** Reads a cookie; of several of one name the first counts, which has the longest path. */
function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const mark = pair.indexOf("=");
    if (mark === -1 || pair.slice(0, mark).trim() !== name) continue;
    return pair
      .slice(mark + 1)
      .trim()
      .replace(/^"(.*)"$/, "$1");
  }
  return undefined;
}
