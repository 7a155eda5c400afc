import { type FlatDocument, flattenDocument } from "./flatten.ts";
import { parseInstant } from "./instant.ts";
import type { KqlName, KqlNode, KqlRangeOperator, KqlValue } from "./node.ts";
import { createPatternTest } from "./pattern.ts";
import {
  compareCodePoints,
  parseEquality,
  parseRangeBound,
  type Scalar,
  toText,
} from "./values.ts";

/** A compiled filter: reports whether a JSON-like document matches. */
export type KqlTest = (document: unknown) => boolean;

/**
 * Reports whether a JSON-like document matches a filter: the reference for every compiler. `now` is in
 * Unix milliseconds; without it, a clock-dependent bound matches nothing.
 */
export function matchKql(node: KqlNode, document: unknown, now?: number): boolean {
  return createKqlTest(node, now)(document);
}

/** Compiles a filter for many documents: its values and patterns are prepared once. */
export function createKqlTest(node: KqlNode, now?: number): KqlTest {
  const test = createTest(node, now);
  return (document) => test(flattenDocument(document));
}

type FlatTest = (document: FlatDocument) => boolean;

function createTest(node: KqlNode, now: number | undefined): FlatTest {
  switch (node.type) {
    case "all":
      return () => true;
    case "and": {
      const tests = node.items.map((item) => createTest(item, now));
      return (document) => tests.every((test) => test(document));
    }
    case "or": {
      const tests = createAlternatives(node.items, now);
      return (document) => tests.some((test) => test(document));
    }
    case "not": {
      const test = createTest(node.item, now);
      return (document) => !test(document);
    }
    case "exists":
      return createExistenceTest(node.name);
    case "is":
      return createLeafTest(node.name, createEqualityTest(node.value));
    case "range":
      return createLeafTest(node.name, createRangeTest(node.operator, node.value, now));
    case "nested": {
      const test = createTest(node.item, now);
      return ({ elements }) =>
        elements.some(({ path, value }) => path === node.path && test(flattenDocument(value)));
    }
    default:
      return node satisfies never;
  }
}

type ScalarTest = (scalar: Scalar) => boolean;

/** Groups the alternatives of one field, so that its leaves are visited once. */
function createAlternatives(items: readonly KqlNode[], now: number | undefined): FlatTest[] {
  const tests: FlatTest[] = [];
  const fields = new Map<string, ScalarTest[]>();
  for (const item of items) {
    if (item.type !== "is") {
      tests.push(createTest(item, now));
      continue;
    }
    const key = JSON.stringify(item.name && toParts(item.name));
    const known = fields.get(key);
    const values = known ?? [];
    values.push(createEqualityTest(item.value));
    if (known !== undefined) continue;
    fields.set(key, values);
    tests.push(createLeafTest(item.name, (scalar) => values.some((test) => test(scalar))));
  }
  return tests;
}

function createLeafTest(name: KqlName | null, test: ScalarTest): FlatTest {
  if (name === null) return ({ leaves }) => leaves.some(({ value }) => test(value));
  const isNamed = createPatternTest(toParts(name));
  return ({ leaves }) => leaves.some(({ path, value }) => isNamed(path) && test(value));
}

/** Tests whether there is a leaf at a field or below it. */
function createExistenceTest(name: KqlName): FlatTest {
  const parts = toParts(name);
  const isAt = createPatternTest(parts);
  const isBelow = createPatternTest([...parts.slice(0, -1), `${parts.at(-1) ?? ""}.`, ""]);
  return ({ leaves }) => leaves.some(({ path }) => isAt(path) || isBelow(path));
}

function toParts(name: KqlName): readonly string[] {
  return name.kind === "exact" ? [name.path] : name.parts;
}

function createEqualityTest(value: KqlValue): ScalarTest {
  if (value.kind === "pattern") {
    const matches = createPatternTest(value.parts);
    return (scalar) => matches(String(scalar));
  }
  const text = toText(value);
  if (text === undefined) return () => false;
  const wanted = parseEquality(text);
  return (scalar) => {
    if (typeof scalar === "number") return scalar === wanted.number;
    if (String(scalar) === text) return true;
    if (typeof scalar === "boolean" || wanted.instant === undefined) return false;
    return parseInstant(scalar) === wanted.instant;
  };
}

function createRangeTest(
  operator: KqlRangeOperator,
  value: KqlValue,
  now: number | undefined,
): ScalarTest {
  const bound = parseRangeBound(value, now);
  return (scalar) => {
    if (typeof scalar === "number") {
      return bound.kind === "number" && holds(operator, compareNumbers(scalar, bound.number));
    }
    if (typeof scalar === "boolean" || bound.kind === "number" || bound.kind === "nothing") {
      return false;
    }
    const instant = bound.instant === undefined ? undefined : parseInstant(scalar);
    if (instant !== undefined && bound.instant !== undefined) {
      return holds(operator, compareCodePoints(instant, bound.instant));
    }
    return bound.kind === "text" && holds(operator, compareCodePoints(scalar, bound.text));
  };
}

/** Compares without subtraction, which fails for equal infinities. */
function compareNumbers(left: number, right: number): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function holds(operator: KqlRangeOperator, difference: number): boolean {
  switch (operator) {
    case "lt":
      return difference < 0;
    case "lte":
      return difference <= 0;
    case "gt":
      return difference > 0;
    case "gte":
      return difference >= 0;
    default:
      return operator satisfies never;
  }
}
