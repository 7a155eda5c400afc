import { DomainError } from "../errors.ts";
import type { KqlNode } from "./node.ts";
import { readOwnPath } from "./own-path.ts";
import { parseKql, parseKqlTemplate } from "./parser.ts";
import { listPlaceholders } from "./placeholders.ts";
import { trimBlanks } from "./scanner.ts";
import { substituteParsed } from "./substitute-text.ts";
import type { PlaceholderFault } from "./template-values.ts";
import { compareCodePoints } from "./values.ts";

/** The reason for which a clause is dropped: a placeholder without value, malformed text, or an unset key. */
export type DroppedClauseReason = PlaceholderFault | "MALFORMED" | "KEY_UNSET";

/** A clause left out of the composed filter. */
export interface DroppedClause {
  readonly key: string;
  readonly reason: DroppedClauseReason;
}

/** The input of {@link composeFilter}. */
export interface FilterParts {
  /** The component's own filter, without placeholders; blank for none. */
  readonly filter: string;
  /** Session key to clause with `{key.path}` placeholders. */
  readonly clauses: Readonly<Record<string, string>>;
  /** Session key to JSON value; null means unset. */
  readonly session: Readonly<Record<string, unknown>>;
}

/** A composed filter, which parses and is within the limits; empty matches everything. */
export interface ComposedFilter {
  readonly filter: string;
  readonly dropped: readonly DroppedClause[];
}

/**
 * Appends to a filter the clauses whose placeholders have values, ordered by key in code point order and
 * joined by ` AND ` (contract: additional-filters 1 to 4). A part with a top-level `or` is put in brackets;
 * everything else stays as typed. Throws `KQL_SYNTAX` for a malformed `filter` and `KQL_LIMIT` when the
 * result exceeds the limits.
 */
export function composeFilter({ filter, clauses, session }: FilterParts): ComposedFilter {
  const dropped: DroppedClause[] = [];
  const parts = [toPart(filter, parseKql(filter))];
  for (const key of Object.keys(clauses).sort(compareCodePoints)) {
    const resolved = resolveClause(key, clauses[key] ?? "", session);
    if (resolved.kind === "dropped") dropped.push({ key, reason: resolved.reason });
    else parts.push(resolved.part);
  }
  const composed = joinParts(parts.filter((part) => part.text !== ""));
  parseKql(composed);
  return { filter: composed, dropped };
}

/** Matches a final word such as `not`: text at the end of a filter, but an operator before a blank. */
const FINAL_KEYWORD = /(?:^|[ \t\r\n\u00a0():<>"*}])(?:and|or|not)$/i;

interface Part {
  readonly text: string;
  readonly needsBrackets: boolean;
}

type ResolvedClause =
  | { readonly kind: "active"; readonly part: Part }
  | { readonly kind: "dropped"; readonly reason: DroppedClauseReason };

function resolveClause(
  key: string,
  clause: string,
  session: Readonly<Record<string, unknown>>,
): ResolvedClause {
  const template = parseClause(clause);
  if (template === undefined) return { kind: "dropped", reason: "MALFORMED" };
  if (listPlaceholders(template).length === 0 && !isSet(session, key)) {
    return { kind: "dropped", reason: "KEY_UNSET" };
  }
  const filled = substituteParsed(clause, template, (path) => readOwnPath(session, path));
  if (filled.kind === "failed") return { kind: "dropped", reason: filled.reason };
  return { kind: "active", part: toPart(filled.text, parseKql(filled.text)) };
}

/** Reports whether a session has a value for a key; null means unset. */
export function isSet(session: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(session, key) && (session[key] ?? null) !== null;
}

function parseClause(clause: string): KqlNode | undefined {
  try {
    return parseKqlTemplate(clause);
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

/** Detects a top-level `or` by its span: inside brackets or a list of values it starts after a bracket. */
function toPart(text: string, node: KqlNode): Part {
  const hasTopLevelOr = node.type === "or" && trimBlanks(text.slice(0, node.span.start)) === "";
  const trimmed = trimBlanks(text);
  return { text: trimmed, needsBrackets: hasTopLevelOr || FINAL_KEYWORD.test(trimmed) };
}

function joinParts(parts: readonly Part[]): string {
  if (parts.length < 2) return parts.map((part) => part.text).join("");
  return parts.map((part) => (part.needsBrackets ? `(${part.text})` : part.text)).join(" AND ");
}
