import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Code, DomainError } from "../base/errors.ts";
import { readOwnPath } from "../kql/index.ts";

/**
 * A parsed text with variables: its parts in order.
 *
 *     text     = { literal | variable } ;
 *     variable = "{", name, { ".", name }, "}" ;
 *     name     = letter or "_", { letter | digit | "_" | "-" } ;
 *     literal  = any characters but "{" and "}" ;
 */
export type TextTemplate = readonly TextPart[];

/** A literal text, or a variable's path without its braces. */
export type TextPart =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "variable"; readonly path: string };

/**
 * Parses a text with variables (contract: variables 1). INVALID_ARGUMENT `VARIABLE_MALFORMED` with the
 * zero-based offset and the one-based column in the metadata.
 */
export function parseTextTemplate(text: string): TextTemplate {
  return parseTemplate(text, (offset) => {
    throw malformed(offset);
  });
}

/** Parses a string of free JSON: braces that do not enclose a variable are literal. */
export function parseFreeTemplate(text: string): TextTemplate {
  return parseTemplate(text, () => {});
}

function parseTemplate(text: string, onMalformed: (offset: number) => void): TextTemplate {
  const parts: TextPart[] = [];
  let from = 0;
  while (from < text.length) {
    const brace = findBrace(text, from);
    if (brace > from) parts.push({ kind: "literal", text: text.slice(from, brace) });
    if (brace === text.length) break;
    const end = findBrace(text, brace + 1);
    const path = text.slice(brace + 1, end);
    if (text[brace] === "{" && text[end] === "}" && isVariablePath(path)) {
      parts.push({ kind: "variable", path });
      from = end + 1;
    } else {
      onMalformed(brace);
      parts.push({ kind: "literal", text: text.slice(brace, brace + 1) });
      from = brace + 1;
    }
  }
  return parts;
}

/** Reports whether a text is the path of a variable: names joined by dots. */
export function isVariablePath(path: string): boolean {
  return path.split(".").every(isVariableName);
}

/** Reports whether a text is one name in a variable's path. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);
}

function findBrace(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{" || text[at] === "}") return at;
  }
  return text.length;
}

function malformed(offset: number): DomainError {
  return new DomainError(
    Code.INVALID_ARGUMENT,
    "VARIABLE_MALFORMED",
    `malformed variable at column ${offset + 1}; write '{name}' or '{name.name}'`,
    { metadata: { offset: String(offset), column: String(offset + 1) } },
  );
}

/**
 * Returns the value of a variable by its path without braces, such as `event.fields.season.id`; undefined
 * if it has none. A value is never null, an empty string or an empty list.
 */
export type Scope = (path: string) => JsonValue | undefined;

/** The content item of a page, as JSON with proto field names. */
export interface PageObject {
  /** The first segment of its variables. */
  readonly kind: "event" | "entity" | "creative_work";
  readonly json: JsonObject;
}

/** The sources of a page's variables. */
export interface ScopeParts {
  /** The values of the URL parameters that the page declares, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The value of `{q}`; default: the parameter `q`. */
  readonly q?: string;
  readonly object?: PageObject;
}

/** Returns the kind of content item of which a path names a member; undefined for a parameter. */
export function objectKindOf(path: string): PageObject["kind"] | undefined {
  return OBJECT_PATH.exec(path)?.[1] as PageObject["kind"] | undefined;
}

const OBJECT_PATH = /^(event|entity|creative_work)\.(.+)$/s;

/**
 * Creates the scope of a page (contract: variables 1). `event.…`, `entity.…` and `creative_work.…` read
 * members of the page's content item and never a parameter; any other path is the full name of a parameter. A
 * list on the path yields the list of its elements' members, without null and empty values.
 */
export function createScope({ parameters, q, object }: ScopeParts): Scope {
  return (path) => {
    const [, kind, member] = OBJECT_PATH.exec(path) ?? [];
    if (member !== undefined) {
      if (object === undefined || object.kind !== kind) return undefined;
      return toValue(readOwnPath(object.json, member) as JsonValue | undefined);
    }
    if (path === "q" && q !== undefined) return toValue(q);
    return Object.hasOwn(parameters, path) ? toValue(parameters[path]) : undefined;
  };
}

function toValue(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value === null || value === "" ? undefined : value;
  const items = value.map(toValue).filter((item) => item !== undefined);
  return items.length === 0 ? undefined : items;
}

/** A text with its variables replaced by values, or the path of the first variable without one. */
export type ResolvedText =
  | { readonly kind: "resolved"; readonly text: string }
  | { readonly kind: "unresolved"; readonly variable: string };

/** Maximum total length of the values in one text, in UTF-16 units; filters have their own limit. */
const MOST_VALUE_CHARACTERS = 8_192;

/**
 * Replaces the variables of a plain text by their values (contract: variables 3). Strings, numbers and
 * booleans are values; lists, objects, and values that exceed {@link MOST_VALUE_CHARACTERS} in total count as
 * missing. Values are not resolved again. Throws `VARIABLE_MALFORMED` for a malformed template.
 */
export function resolveText(template: string, scope: Scope): ResolvedText {
  return resolveTemplate(parseTextTemplate(template), scope);
}

/** Replaces the variables of a parsed text by their values; see {@link resolveText}. */
export function resolveTemplate(template: TextTemplate, scope: Scope): ResolvedText {
  let text = "";
  let room = MOST_VALUE_CHARACTERS;
  for (const part of template) {
    if (part.kind === "literal") {
      text += part.text;
      continue;
    }
    const value = scope(part.path);
    if (value === undefined || typeof value === "object") {
      return { kind: "unresolved", variable: part.path };
    }
    const own = String(value);
    room -= own.length;
    if (room < 0) return { kind: "unresolved", variable: part.path };
    text += own;
  }
  return { kind: "resolved", text };
}
