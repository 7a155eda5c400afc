import type { Scope } from "./scope.ts";
import { parseFreeTemplate, parseTextTemplate, type TextTemplate } from "./text-template.ts";

/** A text with values in the places of its variables, or the path of the first without a value. */
export type ResolvedText =
  | { readonly kind: "resolved"; readonly text: string }
  | { readonly kind: "unresolved"; readonly variable: string };

/** How many characters the values of one text may have together; filters have a limit of their own. */
export const MOST_VALUE_CHARACTERS = 8_192;

/**
 * Puts values where a plain text has variables (SPEC Variables). Strings, numbers and booleans are
 * values, lists and objects are none, nor is a value that takes those of the text past
 * {@link MOST_VALUE_CHARACTERS}. A value stays as it is, also when it looks like a variable. Throws
 * `VARIABLE_MALFORMED` for a broken template.
 */
export function resolveText(template: string, scope: Scope): ResolvedText {
  return resolveTemplate(parseTextTemplate(template), scope);
}

/** Puts values where a text of free JSON has variables; other braces stay as they are. */
export function resolveFreeText(template: string, scope: Scope): ResolvedText {
  return resolveTemplate(parseFreeTemplate(template), scope);
}

function resolveTemplate(template: TextTemplate, scope: Scope): ResolvedText {
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
