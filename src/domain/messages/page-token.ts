import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { invalidField } from "../errors.ts";

/** Length of the signature before a token's content, in bytes. */
const SIGNATURE_BYTES = 16;

/** A position in an ordered list: the values of the columns of the order. */
export type PagePosition = readonly (string | number | null)[];

/**
 * Signs and verifies page tokens. A token is a position, signed together with a binding: all parts of the
 * request that must be the same when the token is used, including the caller.
 */
export interface PageTokens {
  /** Creates a token; equal positions and bindings give equal tokens. */
  sign(position: PagePosition, binding: readonly unknown[]): string;
  /** Reads a token; INVALID_ARGUMENT `PAGE_TOKEN_INVALID` unless it was signed with this binding. */
  verify(token: string, binding: readonly unknown[]): PagePosition;
}

/** Creates page tokens signed with HMAC-SHA-256 under an installation's key. */
export function createPageTokens(key: Uint8Array): PageTokens {
  const secret = createSecretKey(key);
  // The end of a JSON array is unambiguous, so no separator is needed before the content.
  const mac = (content: Uint8Array, binding: readonly unknown[]) =>
    createHmac("sha256", secret)
      .update(JSON.stringify(binding))
      .update(content)
      .digest()
      .subarray(0, SIGNATURE_BYTES);

  return {
    sign(position, binding) {
      const content = Buffer.from(JSON.stringify(position));
      return Buffer.concat([mac(content, binding), content]).toString("base64url");
    },
    verify(token, binding) {
      const bytes = Buffer.from(token, "base64url");
      const content = bytes.subarray(SIGNATURE_BYTES);
      const signature = bytes.subarray(0, SIGNATURE_BYTES);
      const genuine =
        bytes.toString("base64url") === token &&
        signature.length === SIGNATURE_BYTES &&
        timingSafeEqual(signature, mac(content, binding));
      if (!genuine) {
        throw invalidField(
          "page_token",
          "PAGE_TOKEN_INVALID",
          "must be a token from this list with the same arguments; list again without a token",
        );
      }
      return JSON.parse(content.toString("utf8")) as PagePosition;
    },
  };
}
