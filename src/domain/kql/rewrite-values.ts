import { DomainError } from "../base/errors.ts";
import { type KqlClause, listClauses } from "./node.ts";
import { parseKqlTemplate } from "./parser.ts";
import { printValue } from "./print.ts";
import { Scanner, scanLiteral } from "./scanner.ts";

type Equality = Extract<KqlClause, { type: "is" }>;

/**
 * Replaces values in the clauses `name: value` of a filter or template and leaves the rest as typed.
 * `replace` gets the field name and the value and returns undefined to keep it; it is not called for
 * patterns, ranges and values with placeholders. A text that does not parse is returned unchanged.
 */
export function rewriteKqlValues(
  text: string,
  replace: (name: string, value: string) => string | undefined,
): string {
  let rewritten = "";
  let from = 0;
  for (const { name, value, span } of listEqualities(text)) {
    if (name?.kind !== "exact" || value.kind !== "text") continue;
    const other = replace(name.path, value.text);
    if (other === undefined) continue;
    rewritten += text.slice(from, findValue(text, span.start));
    rewritten += printValue({ ...value, text: other });
    from = span.end;
  }
  return rewritten + text.slice(from);
}

function listEqualities(text: string): readonly Equality[] {
  try {
    return listClauses(parseKqlTemplate(text)).filter((it) => it.type === "is");
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
}

/** Finds the offset of a clause's value; in a list of values the clause is the value alone. */
function findValue(text: string, start: number): number {
  const scanner = new Scanner(text, { template: true });
  scanner.offset = start;
  scanLiteral(scanner);
  scanner.skipBlanks();
  if (scanner.peek() !== ":") return start;
  scanner.offset += 1;
  scanner.skipBlanks();
  return scanner.offset;
}
