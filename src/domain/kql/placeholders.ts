import { countNodes, type KqlNode, type KqlTemplateValue } from "./node.ts";

/** A clause of a template whose value has placeholders. */
export type TemplateClause = Extract<KqlNode, { type: "is" | "range" }> & {
  readonly value: KqlTemplateValue;
};

/** Reports whether a node is a clause with placeholders. */
export function isTemplateClause(node: KqlNode): node is TemplateClause {
  return (node.type === "is" || node.type === "range") && node.value.kind === "template";
}

/** Lists the clauses with placeholders in text order. */
export function listTemplateClauses(node: KqlNode): readonly TemplateClause[] {
  if (isTemplateClause(node)) return [node];
  if (node.type === "and" || node.type === "or") return node.items.flatMap(listTemplateClauses);
  return node.type === "not" || node.type === "nested" ? listTemplateClauses(node.item) : [];
}

/** Lists the distinct paths of a value's placeholders in text order. */
export function listPaths(value: KqlTemplateValue): readonly string[] {
  const paths = value.parts.flatMap((part) => (part.kind === "placeholder" ? [part.path] : []));
  return [...new Set(paths)];
}

/** Lists the distinct paths of a template's placeholders in text order. */
export function listPlaceholders(template: KqlNode): readonly string[] {
  return [...new Set(listTemplateClauses(template).flatMap((clause) => listPaths(clause.value)))];
}

/** What is filled in a template. */
export interface TemplateParts {
  /** The clauses with placeholders in text order. */
  readonly clauses: readonly TemplateClause[];
  /** The distinct paths of their placeholders in text order. */
  readonly placeholders: readonly string[];
  /** The number of nodes of the template. */
  readonly nodes: number;
}

/** Lists what is filled in a template. */
export function listTemplateParts(template: KqlNode): TemplateParts {
  return {
    clauses: listTemplateClauses(template),
    placeholders: listPlaceholders(template),
    nodes: countNodes(template),
  };
}
