import type { HandlerContext } from "@connectrpc/connect";
import type { DomainError } from "../domain/errors.ts";

/** What is known of whoever watches. */
export interface ViewerFacts {
  /** The client's address, behind trusted proxies: IPv4, or IPv6 in its shortest form. */
  readonly address: string;
  /** ISO 3166-1 alpha-2, upper case; undefined: not known. */
  readonly country: string | undefined;
  /** Whether the address is one of a VPN or another anonymizer; undefined: not known. */
  readonly vpn: boolean | undefined;
  /** The HTTP referrer; undefined: none was sent. */
  readonly referrer: string | undefined;
  /** The user id of a viewer token that holds for the project; undefined: there is none. */
  readonly userId: string | undefined;
  /**
   * Why the viewer token in the cookie does not hold, and so counts as none (CONTRACT 6 Sign-in):
   * UNAUTHENTICATED `TOKEN_EXPIRED`, `TOKEN_MALFORMED`, `SIGNATURE_INVALID`, `ISSUER_UNKNOWN` or
   * `AUDIENCE_NOT_ALLOWED`. Who needs a viewer refuses with it; undefined: it holds, or none came.
   */
  readonly tokenFault: DomainError | undefined;
}

/** Finds out who watches, from where. */
export type FindViewer = (context: HandlerContext) => Promise<ViewerFacts>;
