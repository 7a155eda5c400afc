import { type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { perDescriptor, readField } from "../base/descriptors.ts";
import type { Reason } from "../base/errors.ts";
import { invalidField } from "../base/field-errors.ts";

/** Reports whether a text is an absolute http or https URL. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);
}

/** Reports whether a text is a path within the site: it begins with one `/` and has no blanks. */
export function isSitePath(text: string): boolean {
  return /^\/(?![/\\])[^\s\p{Cc}]*$/u.test(text);
}

/** Reports whether a string field contains a link: its name ends in `link` or `href`. */
function isLinkField({ name }: DescField): boolean {
  return /(^|_)(link|href)$/.test(name);
}

/** Reports whether a field contains a URL: a string with a name that ends in `url`, `link` or `href`. */
export function isUrlField(field: DescField): boolean {
  const isText = field.fieldKind !== "message" && field.scalar === ScalarType.STRING;
  return isText && (/(^|_)url$/.test(field.name) || isLinkField(field));
}

/**
 * Checks every URL in a message at any depth (contract: studio 14): absolute http and https URLs, and for links also
 * paths within the site; empty means unset. Fields are found by name, so that new ones are checked too.
 * INVALID_ARGUMENT `LINK_INVALID`, `IMAGE_URL_INVALID`, `PLAYLIST_URL_INVALID`, `BASE_URL_INVALID` or `URL_INVALID`.
 */
export function checkUrls(schema: DescMessage, message: Message, path: string): void {
  for (const field of listFields(schema)) {
    const values = listValues(field, message);
    for (const [index, value] of values.entries()) {
      const place = field.fieldKind === "list" ? `[${index}]` : "";
      const fieldPath = `${path}.${field.name}${place}`;
      if (field.message === undefined) checkUrl(field, String(value), fieldPath);
      else checkUrls(field.message, value as Message, fieldPath);
    }
  }
}

function checkUrl(field: DescField, url: string, path: string): void {
  if (url === "" || isHttpUrl(url)) return;
  const isLink = isLinkField(field);
  if (isLink && isSitePath(url)) return;
  throw invalidField(
    path,
    reasonOf(field),
    isLink
      ? "must be an absolute http or https URL, or a path within the site that begins with one '/'"
      : "must be an absolute http or https URL",
  );
}

function reasonOf(field: DescField): Reason {
  if (isLinkField(field)) return "LINK_INVALID";
  if (/image|asset/i.test(`${field.name} ${field.parent.name}`)) return "IMAGE_URL_INVALID";
  if (field.name === "playlist_url") return "PLAYLIST_URL_INVALID";
  return field.name === "base_url" ? "BASE_URL_INVALID" : "URL_INVALID";
}

/** Lists the values of a field: the items of a list or map, a single value, or none. */
function listValues(field: DescField, message: Message): unknown[] {
  const value = readField(message, field);
  if (value === undefined) return [];
  if (field.fieldKind === "list") return value as unknown[];
  return field.fieldKind === "map" ? Object.values(value as object) : [value];
}

/** Lists the fields of a message that contain URLs or messages with such fields. */
const listFields = perDescriptor((schema: DescMessage): readonly DescField[] =>
  schema.fields.filter(
    (field) => isUrlField(field) || (field.message && hasUrl(field.message, new Set())),
  ),
);

function hasUrl(schema: DescMessage, seen: Set<DescMessage>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return schema.fields.some(
    (field) => isUrlField(field) || (field.message && hasUrl(field.message, seen)),
  );
}
