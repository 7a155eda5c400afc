import { rejectToken } from "../../auth/jwt.ts";
import type { VerifiedViewer, ViewerTokens } from "../../auth/viewer-token.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import type { Viewer } from "../../domain/protection/decide.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import { readCookies } from "../steps/session-cookie.ts";
import type { ViewerPlaces } from "./viewer-place.ts";

/** The cookie that may carry a viewer token in addition to a public key (contract: sign-in 4). */
const COOKIE = "viewer_token";

/** The facts about the calling viewer. */
interface CallingViewer extends Viewer {
  /** The client's IP address, behind trusted proxies: IPv4, or IPv6 in its shortest form. */
  readonly address: string;
  /** The end of a valid viewer token for the project; undefined without one. */
  readonly tokenEnd: Date | undefined;
  /**
   * The error of an invalid, and therefore ignored, viewer token in the cookie (contract: sign-in 4):
   * UNAUTHENTICATED `TOKEN_EXPIRED`, `TOKEN_MALFORMED`, `SIGNATURE_INVALID`, `ISSUER_UNKNOWN` or
   * `AUDIENCE_NOT_ALLOWED`. A handler that needs a user throws it; undefined if the token is valid or absent.
   */
  readonly tokenError: DomainError | undefined;
}

type ViewerOfToken = Pick<CallingViewer, "tokenEnd" | "tokenError" | "userId">;

const ANONYMOUS: ViewerOfToken = { userId: undefined, tokenEnd: undefined, tokenError: undefined };

function toUser({ userId, expireTime }: VerifiedViewer): ViewerOfToken {
  return { userId, tokenEnd: expireTime, tokenError: undefined };
}

/** Finds the viewers of calls, and where the calls come from. */
export class Viewers {
  readonly #viewerTokens: Pick<ViewerTokens, "verify">;
  readonly #places: Pick<ViewerPlaces, "findCountry" | "findVpn">;

  constructor(
    viewerTokens: Pick<ViewerTokens, "verify">,
    places: Pick<ViewerPlaces, "findCountry" | "findVpn">,
  ) {
    this.#viewerTokens = viewerTokens;
    this.#places = places;
  }

  /**
   * Finds the viewer of a call. The viewer token comes from the Authorization header, already checked as the call's
   * credentials, or else from the cookie. Either marks the response personal.
   */
  async find(call: DeliveryCall): Promise<CallingViewer> {
    call.freshness.markPersonal();
    return {
      address: call.request.address,
      country: this.#places.findCountry(call),
      vpn: this.#places.findVpn(call),
      referrer: call.readHeader("referer"),
      ...(await this.#readUser(call)),
    };
  }

  async #readUser(call: DeliveryCall): Promise<ViewerOfToken> {
    if (call.viewer !== undefined) return toUser(call.viewer);
    const cookie = readCookies({ cookie: call.readHeader("cookie") }).get(COOKIE) ?? "";
    const token = cookie.trim().replace(/^"(.*)"$/, "$1");
    if (token === "") return ANONYMOUS;
    try {
      const viewer = await this.#viewerTokens.verify(token, call.request.now);
      if (viewer.projectId === call.key.projectId) return toUser(viewer);
      throw rejectToken("AUDIENCE_NOT_ALLOWED", "the token is for another project");
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== Code.UNAUTHENTICATED) throw error;
      return { ...ANONYMOUS, tokenError: error };
    }
  }
}
