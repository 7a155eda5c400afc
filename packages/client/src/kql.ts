import {
  type KqlName,
  type KqlNode,
  type KqlRangeOperator,
  type KqlValue,
  parseKql,
  printKql,
} from "../../../src/domain/kql/index.ts";
import { createClause } from "../../../src/domain/kql/node.ts";

export { DomainError } from "../../../src/domain/errors.ts";
export { composeFilter, matchKql, parseKql, printKql } from "../../../src/domain/kql/index.ts";

/** A value to compare with. A Date stands for its instant. */
export type Value = string | number | bigint | boolean | Date;

/** The bound of a range: `now`, `now+7d` and `now-2h/d` are read as times by the service. */
export type Bound = Exclude<Value, boolean>;

/** A filter to combine, built here or written by hand; a blank or missing one is left out. */
export type Part = string | false | null | undefined;

const NOWHERE = { start: 0, end: 0 };

/** Holds where some value at `path`, such as `fields.season.id`, equals `value`. */
export function is(path: string, value: Value): string {
  return printKql(createClause(toName(path), toValue(value), NOWHERE));
}

/** Holds where some value at `path` equals one of `values`; nowhere without values. */
export function oneOf(path: string, values: readonly Value[]): string {
  const clauses = values.map((it) => createClause(toName(path), toValue(it), NOWHERE));
  return clauses.length === 0 ? not("*") : printKql(join("or", clauses));
}

/** Holds where there is a value at `path` or below it. */
export function exists(path: string): string {
  return printKql({ type: "exists", name: toName(path), span: NOWHERE });
}

/** Holds where some text at `path` begins with `text`, in its case. */
export function startsWith(path: string, text: string): string {
  return pattern(path, [text, ""]);
}

/** Holds where some text at `path` ends with `text`, in its case. */
export function endsWith(path: string, text: string): string {
  return pattern(path, ["", text]);
}

/** Holds where some text at `path` contains `text`, in its case; for words in any case there is `search`. */
export function contains(path: string, text: string): string {
  return pattern(path, ["", text, ""]);
}

/** Holds where some value at `path` is below `bound`. */
export function lt(path: string, bound: Bound): string {
  return range(path, "lt", bound);
}

/** Holds where some value at `path` is `bound` or below. */
export function lte(path: string, bound: Bound): string {
  return range(path, "lte", bound);
}

/** Holds where some value at `path` is above `bound`. */
export function gt(path: string, bound: Bound): string {
  return range(path, "gt", bound);
}

/** Holds where some value at `path` is `bound` or above. */
export function gte(path: string, bound: Bound): string {
  return range(path, "gte", bound);
}

/** Holds where one object at `path` fulfils the whole of `filter`, whose paths begin at that object. */
export function within(path: string, filter: string): string {
  return printKql({ type: "nested", path, item: parseKql(filter), span: NOWHERE });
}

/** Holds where `filter` does not. */
export function not(filter: string): string {
  return printKql({ type: "not", item: parseKql(filter), span: NOWHERE });
}

/** Holds where all parts do; everywhere without parts. */
export function and(...parts: readonly Part[]): string {
  return combine("and", parts);
}

/** Holds where at least one part does; nowhere without parts. */
export function or(...parts: readonly Part[]): string {
  return combine("or", parts) || not("*");
}

function combine(type: "and" | "or", parts: readonly Part[]): string {
  const written = parts.filter((it) => typeof it === "string" && it.trim() !== "") as string[];
  return written.length === 0 ? "" : printKql(join(type, written.map(parseKql)));
}

function join(type: "and" | "or", items: readonly KqlNode[]): KqlNode {
  const [only] = items;
  if (only !== undefined && items.length === 1) return only;
  return { type, items: items.flatMap((it) => (it.type === type ? it.items : it)), span: NOWHERE };
}

function pattern(path: string, parts: readonly string[]): string {
  return printKql(createClause(toName(path), { kind: "pattern", parts }, NOWHERE));
}

function range(path: string, operator: KqlRangeOperator, bound: Bound): string {
  const value = toValue(bound);
  return printKql({ type: "range", name: toName(path), operator, value, span: NOWHERE });
}

function toName(path: string): KqlName {
  return { kind: "exact", path, quoted: path === "" };
}

function toValue(value: Value): KqlValue {
  if (typeof value === "boolean") return { kind: "bool", value };
  if (typeof value === "string") return { kind: "text", text: value, quoted: true };
  if (value instanceof Date) return { kind: "text", text: value.toISOString(), quoted: true };
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new RangeError(`${value} is not a value of a filter`);
  }
  return { kind: "text", text: String(value), quoted: false };
}
