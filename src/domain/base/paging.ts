import {
  createCipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";
import type { DomainError } from "./errors.ts";
import { checkField, invalidField } from "./field-errors.ts";
import { clip, suggestNames } from "./text.ts";
import { WORK_LIMITS } from "./work-budget.ts";

/** The default and maximum number of records on a page. */
interface PageSizeLimits {
  readonly standard: number;
  readonly maximum: number;
}

/** Page sizes of the Delivery API. */
export const DELIVERY_PAGE_SIZE: PageSizeLimits = { standard: 20, maximum: 100 };

/** Page sizes of the Studio API. */
export const STUDIO_PAGE_SIZE: PageSizeLimits = { standard: 50, maximum: 1_000 };

/**
 * Returns the size of a page: the standard for 0, and at most the maximum. INVALID_ARGUMENT
 * `PAGE_SIZE_INVALID` at `field` for a negative size.
 */
export function resolvePageSize(
  asked: number,
  limits: PageSizeLimits,
  field: string = "page_size",
): number {
  checkField(asked >= 0, field, "PAGE_SIZE_INVALID", "must not be negative");
  return asked === 0 ? limits.standard : Math.min(asked, limits.maximum);
}

/** A position in an ordered list: the values of the columns of the order. */
export type PagePosition = readonly (string | number | null)[];

/** A place in an order: the sort value, null in an order by id, and the id. */
export interface OrderPlace {
  readonly key: string | number | null;
  readonly id: string;
}

/** The fields of a list request that select a page. */
export interface PageFields {
  readonly pageSize: number;
  readonly pageToken: string;
}

/**
 * Seals and opens page tokens under an installation's key. A token is a position, bound to all parts of the request that must
 * be the same when the token is used, including the caller. A position may be an item that the caller must not see, because a
 * list can end behind it: the token shows nothing of it but its length.
 */
export class PageTokens {
  readonly #signing: KeyObject;
  readonly #encryption: KeyObject;

  constructor(key: Uint8Array) {
    const derive = (use: string) => createSecretKey(createHmac("sha256", key).update(use).digest());
    this.#signing = derive("page token: signature");
    this.#encryption = derive("page token: encryption");
  }

  /** Creates a token; equal positions and bindings have equal tokens. */
  seal(position: PagePosition, binding: readonly unknown[]): string {
    const content = Buffer.from(JSON.stringify(position));
    const signature = this.#sign(content, binding);
    return Buffer.concat([signature, this.#encrypt(content, signature)]).toString("base64url");
  }

  /** Reads a token; INVALID_ARGUMENT `PAGE_TOKEN_INVALID` unless it was sealed with this binding. */
  unseal(token: string, binding: readonly unknown[]): PagePosition {
    const bytes = Buffer.from(token, "base64url");
    const signature = bytes.subarray(0, SIGNATURE_BYTES);
    const isForm = bytes.toString("base64url") === token && signature.length === SIGNATURE_BYTES;
    const content = isForm
      ? this.#encrypt(bytes.subarray(SIGNATURE_BYTES), signature)
      : Buffer.alloc(0);
    const isGenuine = isForm && timingSafeEqual(signature, this.#sign(content, binding));
    const description =
      "must be a token from this list with the same arguments; list again without a token";
    checkField(isGenuine, "page_token", "PAGE_TOKEN_INVALID", description);
    return JSON.parse(content.toString("utf8")) as PagePosition;
  }

  /** Opens the page that a request selects. INVALID_ARGUMENT `PAGE_SIZE_INVALID`. */
  open(fields: PageFields, sizes: PageSizeLimits, binding: readonly unknown[]): RequestedPage {
    return new RequestedPage(this, fields, resolvePageSize(fields.pageSize, sizes), binding);
  }

  /** Encrypts or decrypts, under the signature as the initial counter (SIV): equal tokens stay equal. */
  #encrypt(bytes: Uint8Array, signature: Uint8Array): Buffer {
    return createCipheriv("aes-256-ctr", this.#encryption, signature).update(bytes);
  }

  #sign(content: Uint8Array, binding: readonly unknown[]): Buffer {
    // The end of a JSON array is unambiguous, so no separator is needed before the content.
    return createHmac("sha256", this.#signing)
      .update(JSON.stringify(binding))
      .update(content)
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}

/** The length of the signature before a token's content, and of a counter of AES, in bytes. */
const SIGNATURE_BYTES = 16;

/** The fields of a list response that say where its page ends. */
export interface PageEnd {
  /** Empty on the last page. */
  readonly nextPageToken: string;
  /** The maximum page size, if the request asks for more. */
  readonly pageSize?: number;
}

/** The page of a list that a request selects. */
export class RequestedPage {
  /** The maximum number of records. */
  readonly limit: number;
  readonly #tokens: PageTokens;
  readonly #fields: PageFields;
  readonly #binding: readonly unknown[];

  constructor(tokens: PageTokens, fields: PageFields, limit: number, binding: readonly unknown[]) {
    this.limit = limit;
    this.#tokens = tokens;
    this.#fields = fields;
    this.#binding = binding;
  }

  /**
   * Reads the start of the page: the position before its first record, converted by `toPlace`. Returns an object
   * without it for the first page. INVALID_ARGUMENT `PAGE_TOKEN_INVALID`.
   */
  readStart<Place>(toPlace: (position: PagePosition) => Place): { readonly after?: Place } {
    const { pageToken } = this.#fields;
    if (pageToken === "") return {};
    return { after: toPlace(this.#tokens.unseal(pageToken, this.#binding)) };
  }

  /** Reads the start of the page like {@link readStart}, as a place in an order. */
  readPlace(): { readonly after?: OrderPlace } {
    return this.readStart(([key = null, id]) => ({ key, id: String(id) }));
  }

  /** Returns the end of the page; the next one starts after a place, if there is one. */
  endAt(next: OrderPlace | undefined): PageEnd {
    return this.end(next && [next.key, next.id]);
  }

  /** Returns the end of the page; the next one starts after a position, if there is one. */
  end(next: PagePosition | undefined): PageEnd {
    return {
      nextPageToken: next === undefined ? "" : this.#tokens.seal(next, this.#binding),
      ...(this.#fields.pageSize > this.limit && { pageSize: this.limit }),
    };
  }
}

/** The order of a list in the Studio API. */
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
  const parsed = parseFieldOrder(order);
  if (parsed !== undefined && allowed.includes(parsed.field)) return parsed;
  throw invalidOrder(order, allowed, "order");
}

/** Parses `<field> asc` or `<field> desc`; undefined for another text. */
export function parseFieldOrder(order: string): DocumentOrder | undefined {
  const [field = "", direction, ...rest] = order.trim().split(/\s+/);
  const isForm = rest.length === 0 && (direction === "asc" || direction === "desc");
  return isForm ? { field, direction } : undefined;
}

/**
 * Creates the INVALID_ARGUMENT `ORDER_INVALID` at `path`, which lists the allowed fields; `hint` stands before them in the
 * message.
 */
export function invalidOrder(
  order: string,
  fields: readonly string[],
  path: string,
  hint = "",
): DomainError {
  const [field = ""] = order.trim().split(/\s+/);
  const direction = /\sdesc/i.test(order) ? "desc" : "asc";
  const suggestion = fields.includes(field)
    ? `; did you mean '${field} ${direction}'?`
    : suggestNames(field, fields);
  return invalidField(
    path,
    "ORDER_INVALID",
    `'${clip(order)}' must be '<field> asc' or '<field> desc'${hint} with one of the fields ${fields.join(", ")}${suggestion}`,
  );
}

/** The rows of a page, and its last row if more follow. */
interface CutPage<Row> {
  readonly shown: readonly Row[];
  readonly last: Row | undefined;
}

/**
 * Cuts a page from rows that were read for one more than the limit. The page ends before the row that would exceed
 * the maximum size of a response's lists, but has at least one row.
 */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  sizeOf: (row: Row) => number,
): CutPage<Row> {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += sizeOf(row);
    return index === limit || (index > 0 && bytes > WORK_LIMITS.bytes);
  });
  if (end === -1) return { shown: rows, last: undefined };
  return { shown: rows.slice(0, end), last: rows[end - 1] };
}
