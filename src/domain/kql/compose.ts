import { DomainError } from "../base/errors.ts";
import { runAll, type Steps } from "../base/steps.ts";
import { countNodes, type KqlNode } from "./node.ts";
import { parseKql } from "./parser.ts";
import { trimBlanks } from "./scanner.ts";
import { KQL_LIMITS } from "./syntax-error.ts";
import { KqlTemplate, type PlaceholderError, readOwnPath } from "./template.ts";
import { compareCodePoints } from "./values.ts";

/** The reason why a clause is dropped: a placeholder without value, malformed text, or an unset key. */
export type DroppedClauseReason = PlaceholderError | "KEY_UNSET";

/** A clause that the composed filter omits. */
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
  const composed = runAll(new SessionClauses(clauses).compose(filter, session));
  return { filter: composed.filter, dropped: composed.dropped };
}

/** Matches a final word such as `not`: text at the end of a filter, but an operator before a blank. */
const FINAL_KEYWORD = /(?:^|[ \t\r\n\u00a0():<>"*}])(?:and|or|not)$/i;

interface Part {
  readonly text: string;
  readonly needsBrackets: boolean;
  /** The minimum number of nodes that it adds. */
  readonly nodes: number;
}

type ResolvedClause =
  | { readonly kind: "active"; readonly part: Part }
  | { readonly kind: "dropped"; readonly reason: DroppedClauseReason };

/** The clauses of a component, each parsed once for all sessions. */
export class SessionClauses {
  /** The texts by session key, in code point order. */
  readonly #texts: ReadonlyMap<string, string>;
  /** Undefined for a malformed clause. */
  readonly #templates = new Map<string, KqlTemplate | undefined>();

  constructor(clauses: FilterParts["clauses"]) {
    const keys = Object.keys(clauses).sort(compareCodePoints);
    this.#texts = new Map(keys.map((key) => [key, clauses[key] ?? ""]));
  }

  /** Reports whether a session key has a clause. */
  has(key: string): boolean {
    return this.#texts.has(key);
  }

  /**
   * Composes like {@link composeFilter}, clause by clause, and stops above the limits. Also returns the parsed
   * filter, and whether a clause is active.
   */
  *compose(
    filter: string,
    session: FilterParts["session"],
  ): Steps<ComposedFilter & { readonly node: KqlNode; readonly isNarrowed: boolean }> {
    const own = parseKql(filter);
    const dropped: DroppedClause[] = [];
    const parts = [toPart(filter, own)];
    let [characters, nodes] = [0, 0];
    for (const key of this.#texts.keys()) {
      yield;
      const resolved = this.#resolve(key, session);
      if (resolved.kind === "dropped") {
        dropped.push({ key, reason: resolved.reason });
        continue;
      }
      parts.push(resolved.part);
      characters += resolved.part.text.length;
      nodes += resolved.part.nodes;
      // The whole is too large already: parsing it reports the error.
      if (characters > KQL_LIMITS.bytes || nodes > KQL_LIMITS.nodes) break;
    }
    yield;
    const isNarrowed = parts.length > 1;
    const composed = joinParts(parts.filter((part) => part.text !== ""));
    return { filter: composed, node: isNarrowed ? parseKql(composed) : own, dropped, isNarrowed };
  }

  #resolve(key: string, session: FilterParts["session"]): ResolvedClause {
    const template = this.#findTemplate(key);
    if (template === undefined) return { kind: "dropped", reason: "MALFORMED" };
    if (!template.hasPlaceholders && !isSet(session, key)) {
      return { kind: "dropped", reason: "KEY_UNSET" };
    }
    const filled = template.fill((path) => readOwnPath(session, path));
    if (filled.kind === "failed") return { kind: "dropped", reason: filled.reason };
    const { text, node } = filled;
    return { kind: "active", part: toPart(text, node) };
  }

  #findTemplate(key: string): KqlTemplate | undefined {
    if (!this.#templates.has(key)) {
      this.#templates.set(key, parseClause(this.#texts.get(key) ?? ""));
    }
    return this.#templates.get(key);
  }
}

/** Reports whether a session has a value for a key; null means unset. */
export function isSet(session: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(session, key) && (session[key] ?? null) !== null;
}

function parseClause(clause: string): KqlTemplate | undefined {
  try {
    return new KqlTemplate(clause);
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

/** Detects a top-level `or` by its span: inside brackets or a list of values it starts after a bracket. */
function toPart(text: string, node: KqlNode): Part {
  const hasTopLevelOr = node.type === "or" && trimBlanks(text.slice(0, node.span.start)) === "";
  const trimmed = trimBlanks(text);
  return {
    text: trimmed,
    needsBrackets: hasTopLevelOr || FINAL_KEYWORD.test(trimmed),
    // A blank text disappears, and an `and` merges with the `and` of the whole.
    nodes: trimmed === "" ? 0 : countNodes(node) - (node.type === "and" ? 1 : 0),
  };
}

function joinParts(parts: readonly Part[]): string {
  if (parts.length < 2) return parts.map((part) => part.text).join("");
  return parts.map((part) => (part.needsBrackets ? `(${part.text})` : part.text)).join(" AND ");
}
