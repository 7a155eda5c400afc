import type { HandlerContext } from "@connectrpc/connect";
import type { DomainError } from "../domain/errors.ts";

/** The known facts about a viewer. */
export interface ViewerFacts {
  /** The client's address behind trusted proxies, in canonical form. */
  readonly address: string;
  /** ISO 3166-1 alpha-2, upper case; undefined: unknown. */
  readonly country: string | undefined;
  /** Whether the address belongs to a VPN or another anonymizer; undefined: unknown. */
  readonly vpn: boolean | undefined;
  /** The HTTP referrer; undefined: none was sent. */
  readonly referrer: string | undefined;
  /** The user id of a valid viewer token of the project; undefined: there is none. */
  readonly userId: string | undefined;
  /**
   * The fault of an invalid viewer token in the cookie, which is ignored (CONTRACT 6 Sign-in): UNAUTHENTICATED
   * `TOKEN_EXPIRED`, `TOKEN_MALFORMED`, `SIGNATURE_INVALID`, `ISSUER_UNKNOWN` or `AUDIENCE_NOT_ALLOWED`.
   * Methods that require a viewer refuse with it. Undefined: the token is valid, or none was sent.
   */
  readonly tokenFault: DomainError | undefined;
}

/** Finds the facts about the viewer of a call. */
export type FindViewer = (context: HandlerContext) => Promise<ViewerFacts>;
