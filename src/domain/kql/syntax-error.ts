import { Code, DomainError } from "../base/errors.ts";
import { isInsidePair } from "../base/text.ts";

/**
 * Maximum sizes of a filter, enforced by the parser: `bytes` of UTF-8 text, `nodes` of the tree and
 * `nesting` depth of brackets and braces together.
 */
export const KQL_LIMITS = { bytes: 8192, nodes: 256, nesting: 32 } as const;

/** A name of {@link KQL_LIMITS}. */
export type KqlLimit = keyof typeof KQL_LIMITS;

const EXCERPT_LENGTH = 200;
const CUT = "…";

const LIMIT_MESSAGES: Readonly<Record<KqlLimit, string>> = {
  bytes: `The filter must not exceed ${KQL_LIMITS.bytes} bytes.`,
  nodes: `The filter must not have more than ${KQL_LIMITS.nodes} nodes.`,
  nesting: `The filter must not nest brackets more than ${KQL_LIMITS.nesting} levels deep.`,
};

/** Hints by the text up to a mistake, inclusive. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[Tt ]\d\d:$/, 'Write a time in quotes: "2026-06-11T19:00:00Z".'],
  [/\sin\s*\($/i, "Write several values as field: (a or b)."],
  [/&&|\|\|/, "Write and for &&, or for ||."],
];

/**
 * Creates the INVALID_ARGUMENT `KQL_SYNTAX`: a sentence, an excerpt of the query, a pointer of dashes, and for some mistakes a
 * hint. The
 * metadata has `offset` (from 0), `line` and `column` (from 1) in UTF-16 units.
 */
export function syntaxError(
  text: string,
  offset: number,
  expected: readonly string[],
): DomainError {
  const wanted = [...new Set(expected)].sort().join(", ");
  const sentence = `Expected ${wanted} but ${describeFound(text, offset)} found.`;
  const before = text.slice(Math.max(0, offset - EXCERPT_LENGTH), offset);
  const hint = HINTS.find(([pattern]) => pattern.test(before + text.charAt(offset)))?.[1];
  return new DomainError(
    Code.INVALID_ARGUMENT,
    "KQL_SYNTAX",
    [sentence, excerptAround(text, offset), ...(hint === undefined ? [] : [hint])].join("\n"),
    { metadata: locate(text, offset) },
  );
}

/** Creates the INVALID_ARGUMENT `KQL_LIMIT`; the metadata has `limit`, `maximum` and the position. */
export function limitError(text: string, offset: number, limit: KqlLimit): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, "KQL_LIMIT", LIMIT_MESSAGES[limit], {
    metadata: { limit, maximum: String(KQL_LIMITS[limit]), ...locate(text, offset) },
  });
}

function locate(text: string, offset: number): Record<"offset" | "line" | "column", string> {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return { offset: String(offset), line: String(lines.length), column: String(column) };
}

function describeFound(text: string, offset: number): string {
  const codePoint = text.codePointAt(offset);
  return codePoint === undefined ? "end of input" : JSON.stringify(String.fromCodePoint(codePoint));
}

function excerptAround(text: string, offset: number): string {
  const from = Math.max(0, Math.min(offset - EXCERPT_LENGTH / 2, text.length - EXCERPT_LENGTH));
  const start = isInsidePair(text, from) ? from + 1 : from;
  const to = Math.min(text.length, from + EXCERPT_LENGTH);
  const end = isInsidePair(text, to) ? to + 1 : to;
  const prefix = start > 0 ? CUT : "";
  const line = prefix + toOneLine(text.slice(start, end)) + (end < text.length ? CUT : "");
  return `${line}\n${"-".repeat(prefix.length + offset - start)}^`;
}

/** Replaces line breaks and control characters by blanks, so that offsets stay valid. */
function toOneLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, " ");
}
