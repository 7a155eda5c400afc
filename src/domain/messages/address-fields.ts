import { type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { isHttpUrl, isSitePath } from "../content/links.ts";
import { invalidField } from "../errors.ts";

/** Tells whether a text field of a resource holds the address of a link: its name ends in that. */
export function isLinkField({ name }: DescField): boolean {
  return /(^|_)(link|href)$/.test(name);
}

/** Tells whether a text field of a resource holds an address: its name ends in url, link or href. */
export function isAddressField(field: DescField): boolean {
  const isText = field.fieldKind !== "message" && field.scalar === ScalarType.STRING;
  return isText && (/(^|_)url$/.test(field.name) || isLinkField(field));
}

/**
 * Checks every address in a message, however deep (CONTRACT 4.1): absolute http and https URLs, and for
 * links paths of the site; an empty one is none. The fields are found by their names, so that a new one
 * is checked from its first day. INVALID_ARGUMENT `LINK_INVALID`, `IMAGE_URL_INVALID`, or for other
 * addresses the field's name as in `PLAYLIST_URL_INVALID`.
 */
export function checkAddresses(schema: DescMessage, message: Message, path: string): void {
  for (const field of listFields(schema)) {
    const values = listValues(field, message);
    for (const [index, value] of values.entries()) {
      const place = field.fieldKind === "list" ? `[${index}]` : "";
      const fieldPath = `${path}.${field.name}${place}`;
      if (field.message === undefined) checkAddress(field, String(value), fieldPath);
      else checkAddresses(field.message, value as Message, fieldPath);
    }
  }
}

function checkAddress(field: DescField, address: string, path: string): void {
  if (address === "" || isHttpUrl(address)) return;
  const isLink = isLinkField(field);
  if (isLink && isSitePath(address)) return;
  throw invalidField(
    path,
    reasonOf(field),
    isLink
      ? "it must be an absolute http or https URL, or a path of the site that begins with one '/'"
      : "it must be an absolute http or https URL",
  );
}

function reasonOf(field: DescField): string {
  if (isLinkField(field)) return "LINK_INVALID";
  if (/image|asset/i.test(`${field.name} ${field.parent.name}`)) return "IMAGE_URL_INVALID";
  return `${field.name.toUpperCase()}_INVALID`;
}

/** Gives the values of a field: those of a list or map, the one that is set, or none. */
function listValues(field: DescField, message: Message): unknown[] {
  if (field.oneof !== undefined) {
    const member = Reflect.get(message, field.oneof.localName) as { case?: string; value: unknown };
    return member.case === field.localName ? [member.value] : [];
  }
  const value: unknown = Reflect.get(message, field.localName);
  if (value === undefined) return [];
  if (field.fieldKind === "list") return value as unknown[];
  return field.fieldKind === "map" ? Object.values(value as object) : [value];
}

const FIELDS = new WeakMap<DescMessage, readonly DescField[]>();

/** Lists the fields of a message that hold addresses, or messages with such fields. */
function listFields(schema: DescMessage): readonly DescField[] {
  const known = FIELDS.get(schema);
  if (known !== undefined) return known;
  const fields = schema.fields.filter(
    (field) => isAddressField(field) || (field.message && holdsAddress(field.message, new Set())),
  );
  FIELDS.set(schema, fields);
  return fields;
}

function holdsAddress(schema: DescMessage, seen: Set<DescMessage>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return schema.fields.some(
    (field) => isAddressField(field) || (field.message && holdsAddress(field.message, seen)),
  );
}
