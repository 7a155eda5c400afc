import type { Steps } from "../base/steps.ts";
import { KqlDocument, type TestedValue } from "./document.ts";
import type { KqlName, KqlNode, KqlRangeOperator, KqlValue } from "./node.ts";
import { createPatternTest } from "./pattern.ts";
import { compareCodePoints, parseEquality, parseRangeBound, toText } from "./values.ts";

/** A compiled filter: reports whether a document matches. */
export type KqlTest = (document: KqlDocument) => boolean;

/**
 * Reports whether a JSON-like document matches a filter: the reference for every compiler. `now` is in
 * Unix milliseconds; without it, a clock-dependent bound matches nothing.
 */
export function matchKql(node: KqlNode, document: unknown, now?: number): boolean {
  return createKqlTest(node, now)(new KqlDocument(document));
}

/**
 * Tests a document clause by clause, so that the caller can let other requests run in between: a clause takes
 * milliseconds for the largest documents, and a filter has many.
 */
export type KqlSteps = (document: KqlDocument) => Steps<boolean>;

/** Compiles a filter like {@link createKqlTest}, to be tested in steps. */
export function createKqlSteps(node: KqlNode, now: number | undefined): KqlSteps {
  switch (node.type) {
    case "and":
    case "or": {
      const tests = node.items.map((item) => createKqlSteps(item, now));
      const decisive = node.type === "or";
      return function* (document) {
        for (const test of tests) if ((yield* test(document)) === decisive) return decisive;
        return !decisive;
      };
    }
    case "not": {
      const test = createKqlSteps(node.item, now);
      return function* (document) {
        return !(yield* test(document));
      };
    }
    default: {
      const test = createKqlTest(node, now);
      return function* (document) {
        const holds = test(document);
        yield;
        return holds;
      };
    }
  }
}

/** Compiles a filter for many documents: its values and patterns are prepared once. */
export function createKqlTest(node: KqlNode, now: number | undefined): KqlTest {
  switch (node.type) {
    case "all":
      return () => true;
    case "and": {
      const tests = node.items.map((item) => createKqlTest(item, now));
      return (document) => tests.every((test) => test(document));
    }
    case "or": {
      const tests = createAlternatives(node.items, now);
      return (document) => tests.some((test) => test(document));
    }
    case "not": {
      const test = createKqlTest(node.item, now);
      return (document) => !test(document);
    }
    case "exists":
      return createExistenceTest(node.name);
    case "is":
      return createLeafTest(node.name, createEqualityTest(node.value));
    case "range":
      return createLeafTest(node.name, createRangeTest(node.operator, node.value, now));
    case "nested": {
      const test = createKqlTest(node.item, now);
      return (document) => document.elementsAt(node.path).some(test);
    }
    default:
      return node satisfies never;
  }
}

type ValueTest = (value: TestedValue) => boolean;

/** Groups the alternatives of one field, so that its leaves are visited once. */
function createAlternatives(items: readonly KqlNode[], now: number | undefined): KqlTest[] {
  const tests: KqlTest[] = [];
  const fields = new Map<string, ValueTest[]>();
  for (const item of items) {
    if (item.type !== "is") {
      tests.push(createKqlTest(item, now));
      continue;
    }
    const key = JSON.stringify(item.name && toParts(item.name));
    const known = fields.get(key);
    const values = known ?? [];
    values.push(createEqualityTest(item.value));
    if (known !== undefined) continue;
    fields.set(key, values);
    tests.push(createLeafTest(item.name, (value) => values.some((test) => test(value))));
  }
  return tests;
}

function createLeafTest(name: KqlName | null, test: ValueTest): KqlTest {
  if (name?.kind === "exact") {
    const { path } = name;
    return ({ values }) => values.get(path)?.some(test) ?? false;
  }
  const isNamed = name === null ? () => true : createPatternTest(name.parts);
  return ({ values }) => {
    for (const [path, list] of values) if (isNamed(path) && list.some(test)) return true;
    return false;
  };
}

/** Tests whether there is a leaf at a field or below it. */
function createExistenceTest(name: KqlName): KqlTest {
  const parts = toParts(name);
  const last = parts.at(-1) ?? "";
  const isAt = createPatternTest(parts);
  const isBelow = createPatternTest([...parts.slice(0, -1), `${last}.`, ""]);
  // A pattern that ends with a star matches a name with all names below it.
  const isEither =
    name.kind === "pattern" && last === "" ? isAt : (path: string) => isAt(path) || isBelow(path);
  return ({ values }) => {
    for (const path of values.keys()) if (isEither(path)) return true;
    return false;
  };
}

function toParts(name: KqlName): readonly string[] {
  return name.kind === "exact" ? [name.path] : name.parts;
}

function createEqualityTest(value: KqlValue): ValueTest {
  if (value.kind === "pattern") {
    const matches = createPatternTest(value.parts);
    return ({ text }) => matches(text);
  }
  const text = toText(value);
  if (text === undefined) return () => false;
  const wanted = parseEquality(text);
  return (value) => {
    if (typeof value.scalar === "number") return value.scalar === wanted.number;
    if (value.text === text) return true;
    return wanted.instant !== undefined && value.instant === wanted.instant;
  };
}

function createRangeTest(
  operator: KqlRangeOperator,
  value: KqlValue,
  now: number | undefined,
): ValueTest {
  const bound = parseRangeBound(value, now);
  return (value) => {
    const { scalar } = value;
    if (typeof scalar === "number") {
      return bound.kind === "number" && holds(operator, compareNumbers(scalar, bound.number));
    }
    if (typeof scalar === "boolean" || bound.kind === "number" || bound.kind === "nothing") {
      return false;
    }
    const instant = bound.instant === undefined ? undefined : value.instant;
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
