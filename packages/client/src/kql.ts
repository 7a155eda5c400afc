import {
  type KqlName,
  type KqlNode,
  type KqlRangeOperator,
  type KqlValue,
  parseKql,
  printKql,
} from "../../../src/domain/kql/index.ts";
import { createClause, NOWHERE } from "../../../src/domain/kql/node.ts";

export { DomainError } from "../../../src/domain/base/errors.ts";
export { composeFilter, matchKql, parseKql, printKql } from "../../../src/domain/kql/index.ts";

/** A value to compare with. A Date is compared as a point in time. */
export type Value = string | number | bigint | boolean | Date;

/** The bound of a range: `now`, `now+7d` and `now-2h/d` are read as times by the service. */
export type Bound = Exclude<Value, boolean>;

/** A filter to combine, built here or written by hand; a blank or missing one is omitted. */
export type Part = string | false | null | undefined;

/** Matches if some value at `path`, such as `fields.season.id`, equals `value`. */
export function is(path: string, value: Value): string {
  return printKql(createClause(toName(path), toValue(value), NOWHERE));
}

/** Matches if some value at `path` equals one of `values`. Without values, matches nothing. */
export function oneOf(path: string, values: readonly Value[]): string {
  const clauses = values.map((it) => createClause(toName(path), toValue(it), NOWHERE));
  return clauses.length === 0 ? not("*") : printKql(join("or", clauses));
}

/** Matches if there is a value at `path` or below it. */
export function exists(path: string): string {
  return printKql({ type: "exists", name: toName(path), span: NOWHERE });
}

/** Matches if some string at `path` begins with `text`; case-sensitive. */
export function startsWith(path: string, text: string): string {
  return pattern(path, [text, ""]);
}

/** Matches if some string at `path` ends with `text`; case-sensitive. */
export function endsWith(path: string, text: string): string {
  return pattern(path, ["", text]);
}

/** Matches if some string at `path` contains `text`; case-sensitive. To find words in any case, use `search`. */
export function contains(path: string, text: string): string {
  return pattern(path, ["", text, ""]);
}

/** Matches if some value at `path` is less than `bound`. */
export function lt(path: string, bound: Bound): string {
  return range(path, "lt", bound);
}

/** Matches if some value at `path` is at most `bound`. */
export function lte(path: string, bound: Bound): string {
  return range(path, "lte", bound);
}

/** Matches if some value at `path` is greater than `bound`. */
export function gt(path: string, bound: Bound): string {
  return range(path, "gt", bound);
}

/** Matches if some value at `path` is at least `bound`. */
export function gte(path: string, bound: Bound): string {
  return range(path, "gte", bound);
}

/** Matches if one object at `path` matches the whole of `filter`, whose paths begin at that object. */
export function within(path: string, filter: string): string {
  return printKql({ type: "nested", path, item: parseKql(filter), span: NOWHERE });
}

/** Matches if `filter` does not match. */
export function not(filter: string): string {
  return printKql({ type: "not", item: parseKql(filter), span: NOWHERE });
}

/** Matches if all parts match. Without parts, matches everything. */
export function and(...parts: readonly Part[]): string {
  return combine("and", parts);
}

/** Matches if at least one part matches. Without parts, matches nothing. */
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
  if (typeof value !== "bigint" && !Number.isFinite(value)) {
    throw new RangeError(`${value} is not a value of a filter`);
  }
  return { kind: "text", text: String(value), quoted: false };
}
