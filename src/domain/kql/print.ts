import type { KqlLiteralPart, KqlName, KqlNode, KqlRangeOperator, KqlValue } from "./node.ts";

const SIGNS: Readonly<Record<KqlRangeOperator, string>> = {
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
};

/** Operator precedence; a node of lower precedence than its context needs brackets. */
const BINDING = { or: 0, and: 1, not: 2 } as const;

/**
 * Prints a filter so that parsing it again yields the same tree except for spans. Keywords are in upper case,
 * brackets appear only where precedence requires them, and several values of one field form a list.
 */
export function printKql(node: KqlNode): string {
  return printNode(node, BINDING.or);
}

function printName(name: KqlName): string {
  if (name.kind === "pattern") return printBare(toParts(name.parts));
  return name.quoted ? quote(name.path) : printPath(name.path);
}

function printPath(path: string): string {
  return path === "" ? quote(path) : printBare(toParts([path]));
}

/** Prints a value so that it parses back to itself. */
export function printValue(value: KqlValue): string {
  switch (value.kind) {
    case "text":
      return value.quoted || isTyped(value.text)
        ? quote(value.text)
        : printBare(toParts([value.text]));
    case "bool":
      return String(value.value);
    case "null":
      return "null";
    case "pattern":
      return printBare(toParts(value.parts));
    case "template":
      return value.quoted
        ? `"${value.parts.map(printQuotedPart).join("")}"`
        : printBare(value.parts);
    default:
      return value satisfies never;
  }
}

function printNode(node: KqlNode, around: number): string {
  switch (node.type) {
    case "all":
      return "*";
    case "and":
    case "or": {
      const list = printList(node);
      if (list !== undefined) return list;
      const binding = BINDING[node.type];
      const items = node.items.map((item) => printNode(item, binding + 1));
      const text = items.join(node.type === "or" ? " OR " : " AND ");
      return around > binding ? `(${text})` : text;
    }
    case "not": {
      const text = `NOT ${printNode(node.item, BINDING.not + 1)}`;
      return around > BINDING.not ? `(${text})` : text;
    }
    case "is":
      return `${node.name === null ? "" : `${printName(node.name)}: `}${printValue(node.value)}`;
    case "exists":
      return `${printName(node.name)}: *`;
    case "range":
      return `${printName(node.name)} ${SIGNS[node.operator]} ${printValue(node.value)}`;
    case "nested":
      return `${printPath(node.path)}: { ${printKql(node.item)} }`;
    default:
      return node satisfies never;
  }
}

function printList(node: Extract<KqlNode, { type: "and" | "or" }>): string | undefined {
  if (node.type === "and") return undefined;
  const names = new Set<string>();
  const values: string[] = [];
  for (const item of node.items) {
    if (item.type !== "is" || item.name === null) return undefined;
    names.add(printName(item.name));
    values.push(printValue(item.value));
  }
  return names.size === 1 ? `${[...names][0]}: (${values.join(" OR ")})` : undefined;
}

function toParts(texts: readonly string[]): KqlLiteralPart[] {
  return texts.flatMap((text, index): KqlLiteralPart[] => {
    const part: KqlLiteralPart = { kind: "text", text };
    return index === 0 ? [part] : [{ kind: "star" }, part];
  });
}

function isTyped(text: string): boolean {
  return text === "" || text === "null" || text === "true" || text === "false";
}

/** Quotes a text and escapes its opening braces, so that it cannot become a placeholder later. */
function quote(text: string): string {
  return `"${escapeQuoted(text)}"`;
}

function escapeQuoted(text: string): string {
  return text
    .replace(/["\\]/g, "\\$&")
    .replaceAll("{", "\\u007b")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
}

function printQuotedPart(part: KqlLiteralPart): string {
  return part.kind === "text" ? escapeQuoted(part.text) : printMark(part);
}

function printBare(parts: readonly KqlLiteralPart[]): string {
  const text = parts
    .map((part) => (part.kind === "text" ? escapeBare(part.text) : printMark(part)))
    .join("");
  return text.replace(/^ | $/g, "\\u0020");
}

function printMark(part: Exclude<KqlLiteralPart, { kind: "text" }>): string {
  return part.kind === "star" ? "*" : `{${part.path}}`;
}

/** Escapes a bare text; a line break is `\u000a` because `\n` before `ot` would read as `\not`. */
function escapeBare(text: string): string {
  return text
    .replace(/[\\():<>"*{}]/g, "\\$&")
    .replace(/(?<=^| )(?:and|or|not)(?= |$)/gi, "\\$&")
    .replaceAll("\n", "\\u000a")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t")
    .replaceAll("\u00a0", "\\u00a0");
}
