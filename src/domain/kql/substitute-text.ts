import { DomainError } from "../errors.ts";
import { KQL_LIMITS } from "./limits.ts";
import type { KqlNode } from "./node.ts";
import { parseKql, parseKqlTemplate } from "./parser.ts";
import {
  listPaths,
  listTemplateParts,
  type TemplateClause,
  type TemplateParts,
} from "./placeholders.ts";
import { printValue } from "./print.ts";
import {
  type FailedPlaceholder,
  fillTemplateValue,
  type PlaceholderLookup,
  resolvePlaceholders,
  type TemplateValues,
} from "./template-values.ts";

/** A template with all placeholders filled, or the placeholder without a value. */
export type KqlTextSubstitution =
  | { readonly kind: "substituted"; readonly text: string; readonly node: KqlNode }
  | FailedPlaceholder;

/** A text with placeholders, parsed once and filled many times. */
export class KqlTemplate {
  readonly #text: string;
  readonly #node: KqlNode;
  readonly #parts: TemplateParts;

  /** Throws `KQL_SYNTAX` or `KQL_LIMIT` for a malformed template. */
  constructor(text: string) {
    this.#text = text;
    this.#node = parseKqlTemplate(text);
    this.#parts = listTemplateParts(this.#node);
  }

  /** True if the template has placeholders. */
  get hasPlaceholders(): boolean {
    return this.#parts.clauses.length > 0;
  }

  /**
   * Fills the placeholders and leaves the rest as typed. The result is the tree of `substituteKql`, except for
   * spans; above the limits it fails as `TOO_LARGE`.
   */
  fill(lookup: PlaceholderLookup): KqlTextSubstitution {
    const [text, { clauses }] = [this.#text, this.#parts];
    const [first] = clauses;
    if (first === undefined) return { kind: "substituted", text, node: this.#node };
    const resolved = resolvePlaceholders(this.#parts, lookup);
    if (resolved.kind === "failed") return resolved;
    let filled = "";
    let from = 0;
    for (const clause of clauses) {
      const { span } = clause.value;
      const start = clause.type === "range" ? clause.span.start : span.start;
      filled += text.slice(from, start) + fillClauseText(text, clause, resolved.values);
      from = span.end;
      if (filled.length > KQL_LIMITS.bytes) break;
    }
    filled += text.slice(from);
    const node = parseWithinLimits(filled);
    if (node !== undefined) return { kind: "substituted", text: filled, node };
    return { kind: "failed", placeholder: listPaths(first.value)[0] ?? "", reason: "TOO_LARGE" };
  }
}

/** Parses a template and fills its placeholders once; see {@link KqlTemplate}. */
export function substituteKqlText(text: string, lookup: PlaceholderLookup): KqlTextSubstitution {
  return new KqlTemplate(text).fill(lookup);
}

function fillClauseText(text: string, clause: TemplateClause, values: TemplateValues): string {
  const comparison =
    clause.type === "range" ? text.slice(clause.span.start, clause.value.span.start) : "";
  const alternatives = fillTemplateValue(clause.value, values).map(
    (value) => comparison + printValue(value),
  );
  return alternatives.length === 1 ? alternatives.join("") : `(${alternatives.join(" OR ")})`;
}

function parseWithinLimits(text: string): KqlNode | undefined {
  try {
    return parseKql(text);
  } catch (error) {
    if (error instanceof DomainError && error.reason === "KQL_LIMIT") return undefined;
    throw error;
  }
}
