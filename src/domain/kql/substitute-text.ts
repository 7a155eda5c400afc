import { DomainError } from "../errors.ts";
import type { KqlNode } from "./node.ts";
import { parseKql, parseKqlTemplate } from "./parser.ts";
import { listPaths, listTemplateClauses, type TemplateClause } from "./placeholders.ts";
import { printValue } from "./print.ts";
import {
  type FailedPlaceholder,
  fillTemplateValue,
  type PlaceholderLookup,
  resolvePlaceholders,
  type TemplateValues,
} from "./template-values.ts";

/** A template's text with all placeholders filled, or the placeholder without a value. */
export type KqlTextSubstitution =
  | { readonly kind: "substituted"; readonly text: string }
  | FailedPlaceholder;

/**
 * Fills the placeholders in the text of a template and leaves the rest as typed. The result parses to the
 * same tree as that of `substituteKql`; above the limits it fails as `TOO_LARGE`. Throws `KQL_SYNTAX` or
 * `KQL_LIMIT` for a malformed template.
 */
export function substituteKqlText(text: string, lookup: PlaceholderLookup): KqlTextSubstitution {
  return substituteParsed(text, parseKqlTemplate(text), lookup);
}

/** Fills the placeholders of a text that is already parsed; see {@link substituteKqlText}. */
export function substituteParsed(
  text: string,
  template: KqlNode,
  lookup: PlaceholderLookup,
): KqlTextSubstitution {
  const resolved = resolvePlaceholders(template, lookup);
  if (resolved.kind === "failed") return resolved;
  const clauses = listTemplateClauses(template);
  let filled = "";
  let from = 0;
  for (const clause of clauses) {
    const { span } = clause.value;
    const start = clause.type === "range" ? clause.span.start : span.start;
    filled += text.slice(from, start) + fillClauseText(text, clause, resolved.values);
    from = span.end;
  }
  filled += text.slice(from);
  const [first] = clauses;
  if (first !== undefined && !isWithinLimits(filled)) {
    return { kind: "failed", placeholder: listPaths(first.value)[0] ?? "", reason: "TOO_LARGE" };
  }
  return { kind: "substituted", text: filled };
}

function fillClauseText(text: string, clause: TemplateClause, values: TemplateValues): string {
  const comparison =
    clause.type === "range" ? text.slice(clause.span.start, clause.value.span.start) : "";
  const alternatives = fillTemplateValue(clause.value, values).map(
    (value) => comparison + printValue(value),
  );
  return alternatives.length === 1 ? alternatives.join("") : `(${alternatives.join(" OR ")})`;
}

function isWithinLimits(text: string): boolean {
  try {
    parseKql(text);
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.reason === "KQL_LIMIT") return false;
    throw error;
  }
}
