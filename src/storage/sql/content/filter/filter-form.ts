import {
  type Instant,
  type KqlName,
  type KqlNode,
  type KqlRangeOperator,
  type KqlValue,
  parseEquality,
  parseRangeBound,
  toText,
} from "../../../../domain/kql/index.ts";
import type { Dialect } from "../../dialect.ts";
import { VALUE_LENGTH } from "../indexed-fields.ts";
import type { ExistingPaths } from "./existing-paths.ts";
import type { FormValues, Slot } from "./form-values.ts";
import { type LeafKey, toEqualKeys, toInstantKey, toNumberKey, toTextKey } from "./leaf-key.ts";
import { nextAfterPrefix, toStoredText } from "./stored-text.ts";
import { type TimeBounds, toTimeBounds } from "./time-bounds.ts";

/**
 * A filter without its values, from which its SQL is written: a tree of plain data, with field names, and with
 * slots in the place of values. Whatever else the SQL depends on, such as the number of keys that equal a value
 * or whether a text is a timestamp, is part of the form.
 */
export type FilterForm =
  | { readonly type: "all" }
  | { readonly type: "and" | "or"; readonly items: readonly FilterForm[] }
  | { readonly type: "not"; readonly item: FilterForm }
  | { readonly type: "is"; readonly name: FieldName | null; readonly value: ValueForm }
  /** Without paths, that there is a leaf at or below the field is not for SQL to find out. */
  | { readonly type: "exists"; readonly name: FieldName; readonly paths?: readonly Slot[] }
  | {
      readonly type: "range";
      readonly name: FieldName;
      readonly operator: KqlRangeOperator;
      readonly bound: RangeForm;
    }
  | { readonly type: "nested"; readonly path: string; readonly item: FilterForm };

/** The path of a field, or the texts between the stars of a pattern. */
export type FieldName =
  | { readonly kind: "exact"; readonly path: string }
  | { readonly kind: "pattern"; readonly parts: readonly string[] };

/** The operand of an equality. */
export type ValueForm =
  | { readonly kind: "nothing" }
  | EqualForm
  | { readonly kind: "pattern"; readonly pattern: PatternForm; readonly prefix?: PrefixForm };

/** A value, as a text and as the keys of the scalars that equal it. */
export interface EqualForm {
  readonly kind: "equal";
  readonly text: Slot;
  readonly keys: readonly KeyForm[];
  /** The bounds of a time column; absent where the value is no timestamp. */
  readonly bounds?: TimeBounds<Slot>;
}

/** A key. */
export interface KeyForm {
  readonly key: Slot;
  /** The key as `content_value` holds it, if it is long enough to be cut there. */
  readonly cut?: Slot;
}

/** The keys between two others, both inclusive, of which only texts with a prefix are a part. */
export interface PrefixForm {
  readonly from: Slot;
  readonly to: Slot;
}

/** A pattern in stored form: a text, a prefix as a range, or as the dialect's function takes it. */
export type PatternForm =
  | { readonly kind: "text"; readonly text: Slot }
  | { readonly kind: "prefix"; readonly from: Slot; readonly end?: Slot }
  | { readonly kind: "any"; readonly pattern: Slot }
  /** Has a text so long that no engine finds it in a time linear in that of the value. */
  | { readonly kind: "long" };

/** The bound of a range, by kind of value. */
export type RangeForm =
  | { readonly kind: "nothing" }
  | { readonly kind: "number"; readonly key: Slot }
  | { readonly kind: "instant"; readonly key: Slot; readonly bounds: TimeBounds<Slot> }
  | {
      readonly kind: "text";
      readonly key: KeyForm;
      readonly text: Slot;
      /** Absent where the text is no timestamp. */
      readonly instant?: { readonly key: Slot; readonly bounds: TimeBounds<Slot> };
    };

/** The words that a word of a search finds: from `from` to before `end`, in the order of code points. */
export interface WordForm {
  readonly from: Slot;
  readonly end: Slot;
}

/** The shortest word of a search that finds words it begins: too many begin with a shorter one. */
const SHORTEST_START = 3;

/** Characters of no word, before and after all others. */
const [FIRST, LAST] = [" ", "\u{10ffff}"];

/** Splits a word of a search into its form and its values. */
export function toWordForm(word: string, values: FormValues): WordForm {
  const next = word.length < SHORTEST_START ? FIRST : LAST;
  return { from: values.add(word), end: values.add(word + next) };
}

/** The context of a form. */
export interface FormOptions {
  readonly values: FormValues;
  /** The value of `now`, in Unix milliseconds; undefined: a bound that reads it matches nothing. */
  readonly now: number | undefined;
  readonly dialect: Dialect;
  readonly existing: ExistingPaths;
}

/** Splits a filter into its form and its values, which are added to `values`. */
export function toFilterForm(node: KqlNode, options: FormOptions): FilterForm {
  switch (node.type) {
    case "all":
      return { type: "all" };
    case "and":
    case "or":
      return { type: node.type, items: node.items.map((item) => toFilterForm(item, options)) };
    case "not":
      return { type: "not", item: toFilterForm(node.item, options) };
    case "is": {
      const name = node.name && toFieldName(node.name);
      return { type: "is", name, value: toValueForm(node.value, options) };
    }
    case "exists": {
      const { name } = node;
      const paths = name.kind === "exact" ? options.existing.get(name.path) : undefined;
      return {
        ...{ type: "exists", name: toFieldName(name) },
        ...(paths && { paths: paths.map((path) => options.values.add(path)) }),
      };
    }
    case "range": {
      const { operator, value } = node;
      const bound = toRangeForm(operator, value, options);
      return { type: "range", name: toFieldName(node.name), operator, bound };
    }
    case "nested":
      // The fields of a group are those of its elements.
      return {
        ...{ type: "nested", path: node.path },
        item: toFilterForm(node.item, { ...options, existing: new Map() }),
      };
    default:
      return node satisfies never;
  }
}

/** Reports whether a comparison sets a lower bound. */
export function isLowerBound(operator: KqlRangeOperator): boolean {
  return operator === "gt" || operator === "gte";
}

/** Patterns in SQL take a time proportional to their longest part times the text. */
const LONGEST_PART = 32;

/** Converts the texts between the stars of a pattern. */
function toPatternForm(
  texts: readonly string[],
  { values, dialect }: Pick<FormOptions, "dialect" | "values">,
): PatternForm {
  const add = (text: string) => values.add(text);
  const [first = "", ...others] = texts.map(toStoredText);
  if (others.length === 0) return { kind: "text", text: add(first) };
  if (first === "" || others.some((part) => part !== "")) {
    const parts = [first, ...others];
    if (parts.some((part) => part.length > LONGEST_PART)) return { kind: "long" };
    return { kind: "any", pattern: add(dialect.toPattern(parts)) };
  }
  const end = nextAfterPrefix(first);
  return { kind: "prefix", from: add(first), ...(end !== undefined && { end: add(end) }) };
}

function toFieldName(name: KqlName): FieldName {
  return name.kind === "exact"
    ? { kind: "exact", path: name.path }
    : { kind: "pattern", parts: name.parts };
}

function toValueForm(value: KqlValue, { values, dialect }: FormOptions): ValueForm {
  if (value.kind === "pattern") {
    const prefix = toPrefixForm(value.parts, values);
    const pattern = toPatternForm(value.parts, { values, dialect });
    return { kind: "pattern", pattern, ...(prefix && { prefix }) };
  }
  const text = toText(value);
  if (text === undefined) return { kind: "nothing" };
  const equality = parseEquality(text);
  const { instant } = equality;
  return {
    kind: "equal",
    text: values.add(text),
    keys: toEqualKeys(equality).map((key) => toKeyForm(key, values)),
    ...(instant !== undefined && { bounds: toBoundsForm(toTimeBounds(instant, instant), values) }),
  };
}

/** Converts a prefix that only texts can have: no number, boolean or timestamp begins so. */
function toPrefixForm(
  [start = "", ...others]: readonly string[],
  values: FormValues,
): PrefixForm | undefined {
  const isPrefix = others.length === 1 && others[0] === "";
  if (!isPrefix || /^(?:$|[-\d]|t|f)/.test(start)) return undefined;
  const from = toTextKey(start);
  const end = nextAfterPrefix(from);
  if (end === undefined || from.length >= VALUE_LENGTH) return undefined;
  return { from: values.add(from), to: values.add(end) };
}

function toRangeForm(
  operator: KqlRangeOperator,
  value: KqlValue,
  { values, now }: FormOptions,
): RangeForm {
  const bound = parseRangeBound(value, now);
  const toInstant = (instant: Instant) => {
    const [from, to] = isLowerBound(operator) ? [instant, undefined] : [undefined, instant];
    return {
      key: values.add(toInstantKey(instant)),
      bounds: toBoundsForm(toTimeBounds(from, to), values),
    };
  };
  switch (bound.kind) {
    case "nothing":
      return { kind: "nothing" };
    case "number":
      return { kind: "number", key: values.add(toNumberKey(bound.number)) };
    case "instant":
      return { kind: "instant", ...toInstant(bound.instant) };
    case "text":
      return {
        kind: "text",
        key: toKeyForm(toTextKey(bound.text), values),
        text: values.add(toStoredText(bound.text)),
        ...(bound.instant !== undefined && { instant: toInstant(bound.instant) }),
      };
    default:
      return bound satisfies never;
  }
}

/** Puts slots in the place of bounds. */
export function toBoundsForm({ from, to }: TimeBounds, values: FormValues): TimeBounds<Slot> {
  return {
    ...(from !== undefined && { from: values.add(from) }),
    ...(to !== undefined && { to: values.add(to) }),
  };
}

/** Cuts a key as SQL cuts it for `content_value`: by characters, not by UTF-16 units. */
function toKeyForm(key: LeafKey, values: FormValues): KeyForm {
  if (key.length < VALUE_LENGTH) return { key: values.add(key) };
  const cut = Array.from(key).slice(0, VALUE_LENGTH).join("");
  return { key: values.add(key), cut: values.add(cut) };
}
