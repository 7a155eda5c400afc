import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { invalidField } from "../errors.ts";

/** Bytes of the signature in front of a token's content. */
const SIGNATURE_BYTES = 16;

/** A place in an order, as a token carries it: the values of the order's columns. */
export type PagePosition = readonly (string | number | null)[];

/**
 * Seals and opens page tokens. A token is a position, signed together with a binding: everything of
 * the request that must be the same when the token comes back, who asks included.
 */
export interface PageTokens {
  /** Makes a token; the same position and binding always give the same token. */
  seal(position: PagePosition, binding: readonly unknown[]): string;
  /** Opens a token; INVALID_ARGUMENT `PAGE_TOKEN_INVALID` unless it was sealed with this binding. */
  open(token: string, binding: readonly unknown[]): PagePosition;
}

/** Creates page tokens signed with HMAC-SHA-256 under an installation's key. */
export function createPageTokens(key: Uint8Array): PageTokens {
  const secret = createSecretKey(key);
  // A JSON array ends where its brackets close, so what follows it needs no separator.
  const sign = (content: Uint8Array, binding: readonly unknown[]) =>
    createHmac("sha256", secret)
      .update(JSON.stringify(binding))
      .update(content)
      .digest()
      .subarray(0, SIGNATURE_BYTES);

  return {
    seal(position, binding) {
      const content = Buffer.from(JSON.stringify(position));
      return Buffer.concat([sign(content, binding), content]).toString("base64url");
    },
    open(token, binding) {
      const bytes = Buffer.from(token, "base64url");
      const content = bytes.subarray(SIGNATURE_BYTES);
      const signature = bytes.subarray(0, SIGNATURE_BYTES);
      const genuine =
        bytes.toString("base64url") === token &&
        signature.length === SIGNATURE_BYTES &&
        timingSafeEqual(signature, sign(content, binding));
      if (!genuine) {
        throw invalidField(
          "page_token",
          "PAGE_TOKEN_INVALID",
          "it is not a token of this list with these arguments; start again without one",
        );
      }
      return JSON.parse(content.toString("utf8")) as PagePosition;
    },
  };
}
