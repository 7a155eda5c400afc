import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { type DomainError, invalidField } from "./errors.ts";
import { clip, suggestNames } from "./text.ts";

/** The default and maximum number of records on a page. */
export interface PageSizeLimits {
  readonly standard: number;
  readonly maximum: number;
}

/** Page sizes of the delivery interface. */
export const DELIVERY_PAGE_SIZE: PageSizeLimits = { standard: 20, maximum: 100 };

/** Page sizes of the management interface. */
export const MANAGEMENT_PAGE_SIZE: PageSizeLimits = { standard: 50, maximum: 1_000 };

/**
 * Returns the size of a page: the standard for 0, and at most the maximum. INVALID_ARGUMENT
 * `PAGE_SIZE_INVALID` at `field` for a negative size.
 */
export function resolvePageSize(
  asked: number,
  limits: PageSizeLimits,
  field: string = "page_size",
): number {
  if (asked < 0) throw invalidField(field, "PAGE_SIZE_INVALID", "must not be negative");
  return asked === 0 ? limits.standard : Math.min(asked, limits.maximum);
}

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

/** The order of a management list. */
export interface DocumentOrder {
  readonly field: string;
  readonly direction: "asc" | "desc";
}

/**
 * Parses the order `<field> asc` or `<field> desc` by the id or one of `fields`; blank is `standard`.
 * INVALID_ARGUMENT `ORDER_INVALID`, which lists the fields.
 */
export function parseDocumentOrder(
  order: string,
  fields: readonly string[],
  standard: DocumentOrder = { field: "id", direction: "asc" },
): DocumentOrder {
  if (order.trim() === "") return standard;
  const allowed = [...fields, "id"];
  const [field = "", direction, ...rest] = order.trim().split(/\s+/);
  const isForm = rest.length === 0 && (direction === "asc" || direction === "desc");
  if (isForm && allowed.includes(field)) return { field, direction };
  throw invalidOrder(order, allowed, "order");
}

/** Creates the INVALID_ARGUMENT `ORDER_INVALID` at `path`, which lists the allowed fields. */
export function invalidOrder(order: string, fields: readonly string[], path: string): DomainError {
  const [field = ""] = order.trim().split(/\s+/);
  const suggestion = fields.includes(field) ? "" : suggestNames(field, fields);
  return invalidField(
    path,
    "ORDER_INVALID",
    `'${clip(order)}' must be '<field> asc' or '<field> desc' with one of the fields ${fields.join(", ")}${suggestion}`,
  );
}
