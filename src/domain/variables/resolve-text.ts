import type { Scope } from "./scope.ts";
import { parseFreeTemplate, parseTextTemplate, type TextTemplate } from "./text-template.ts";

/** A text with values in the places of its variables, or the path of the first without a value. */
export type ResolvedText =
  | { readonly kind: "resolved"; readonly text: string }
  | { readonly kind: "unresolved"; readonly variable: string };

/**
 * Puts values where a plain text has variables (SPEC Variables). Strings, numbers and booleans are
 * values, lists and objects are none. A value stays as it is, also when it looks like a variable.
 * Throws `VARIABLE_MALFORMED` for a broken template.
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
  for (const part of template) {
    if (part.kind === "literal") {
      text += part.text;
      continue;
    }
    const value = scope(part.path);
    if (value === undefined || typeof value === "object") {
      return { kind: "unresolved", variable: part.path };
    }
    text += String(value);
  }
  return { kind: "resolved", text };
}
