import { createClause, type KqlNode, type KqlValue } from "./node.ts";
import { isTemplateClause, listTemplateParts, type TemplateClause } from "./placeholders.ts";
import {
  type FailedPlaceholder,
  fillTemplateValue,
  type PlaceholderLookup,
  resolvePlaceholders,
  type TemplateValues,
} from "./template-values.ts";

/** A template with all placeholders filled, or the placeholder without a value. */
export type KqlSubstitution =
  | { readonly kind: "substituted"; readonly node: KqlNode }
  | FailedPlaceholder;

/**
 * Fills the placeholders of a template (contract: kql 6.1 to 6.5): a value is never parsed as syntax, an
 * array becomes an `or` of its elements, and a range repeats its comparison. `lookup` gets the full path;
 * implement it with `readOwnPath`. Spans remain those of the template.
 */
export function substituteKql(template: KqlNode, lookup: PlaceholderLookup): KqlSubstitution {
  const resolved = resolvePlaceholders(listTemplateParts(template), lookup);
  if (resolved.kind === "failed") return resolved;
  return { kind: "substituted", node: fillNode(template, resolved.values) };
}

function fillNode(node: KqlNode, values: TemplateValues): KqlNode {
  if (isTemplateClause(node)) return fillClause(node, values);
  switch (node.type) {
    case "and":
    case "or":
      return { ...node, items: node.items.map((item) => fillNode(item, values)) };
    case "not":
    case "nested":
      return { ...node, item: fillNode(node.item, values) };
    default:
      return node;
  }
}

function fillClause(clause: TemplateClause, values: TemplateValues): KqlNode {
  const items = fillTemplateValue(clause.value, values).map((value) => withValue(clause, value));
  const [only] = items;
  return only !== undefined && items.length === 1 ? only : { type: "or", items, span: clause.span };
}

function withValue(clause: TemplateClause, value: KqlValue): KqlNode {
  return clause.type === "range"
    ? { ...clause, value }
    : createClause(clause.name, value, clause.span);
}
