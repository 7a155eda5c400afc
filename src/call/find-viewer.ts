import { refuseToken } from "../auth/jwt.ts";
import type { FindViewer, ViewerFacts } from "../auth/viewer.ts";
import type { ViewerTokens } from "../auth/viewer-token.ts";
import { Code, DomainError } from "../domain/errors.ts";
import { findCallingViewer, getProjectKey, getRequest } from "./caller.ts";
import { markPersonal } from "./freshness.ts";
import type { FindCountry, FindVpn, PlacedCall } from "./viewer-place.ts";

/** The cookie in which a viewer token may come beside a public key (CONTRACT 6, Sign-in). */
const COOKIE = "viewer_token";

/** What tells who watches. */
export interface ViewerSources {
  readonly viewerTokens: Pick<ViewerTokens, "verify">;
  readonly findCountry: FindCountry;
  readonly findVpn: FindVpn;
}

/**
 * Creates the search for whoever watches. The viewer token is that of the Authorization header, which
 * was checked as the call's credentials, or else the cookie's; the answer is then nobody else's to keep.
 */
export function createFindViewer({
  viewerTokens,
  findCountry,
  findVpn,
}: ViewerSources): FindViewer {
  async function readUser(call: PlacedCall): Promise<Pick<ViewerFacts, "tokenFault" | "userId">> {
    const viewer = findCallingViewer(call.values);
    if (viewer !== undefined) return { userId: viewer.userId, tokenFault: undefined };
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

/** Reads a cookie; of several of one name the first counts, which is the one of the longest path. */
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
