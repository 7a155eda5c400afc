import type { Scope } from "./scope.ts";
import { parseTextTemplate, type TextTemplate } from "./text-template.ts";

/** A text with its variables replaced by values, or the path of the first variable without one. */
export type ResolvedText =
  | { readonly kind: "resolved"; readonly text: string }
  | { readonly kind: "unresolved"; readonly variable: string };

/** Maximum total length of the values in one text, in UTF-16 units; filters have their own limit. */
export const MOST_VALUE_CHARACTERS = 8_192;

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
