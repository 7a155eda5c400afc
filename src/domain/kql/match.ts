import { type FlatDocument, flattenDocument, type Leaf } from "./flatten.ts";
import { parseInstant } from "./instant.ts";
import type { KqlName, KqlNode, KqlRangeOperator, KqlValue } from "./node.ts";
import {
  compareCodePoints,
  matchesPattern,
  parseEquality,
  parseRangeBound,
  type Scalar,
  toText,
} from "./values.ts";

/**
 * Tells whether a JSON-like document satisfies a filter: the reference for every compiler. `now` is
 * in Unix milliseconds; without it a bound that reads the clock matches nothing.
 */
export function matchKql(node: KqlNode, document: unknown, now?: number): boolean {
  return matchesNode(node, flattenDocument(document), now);
}

function matchesNode(node: KqlNode, document: FlatDocument, now: number | undefined): boolean {
  switch (node.type) {
    case "all":
      return true;
    case "and":
      return node.items.every((item) => matchesNode(item, document, now));
    case "or":
      return node.items.some((item) => matchesNode(item, document, now));
    case "not":
      return !matchesNode(node.item, document, now);
    case "exists":
      return document.leaves.some((leaf) => isAtOrBelow(node.name, leaf.path));
    case "is":
      return someLeaf(document, node.name, createEqualityTest(node.value));
    case "range":
      return someLeaf(document, node.name, createRangeTest(node.operator, node.value, now));
    case "nested":
      return document.elements.some(
        (element) =>
          element.path === node.path && matchesNode(node.item, flattenDocument(element.value), now),
      );
    default:
      return node satisfies never;
  }
}

type ScalarTest = (scalar: Scalar) => boolean;

function someLeaf(document: FlatDocument, name: KqlName | null, test: ScalarTest): boolean {
  const isWanted = (leaf: Leaf) => name === null || matchesName(name, leaf.path);
  return document.leaves.some((leaf) => isWanted(leaf) && test(leaf.value));
}

function matchesName(name: KqlName, path: string): boolean {
  return name.kind === "exact" ? name.path === path : matchesPattern(name.parts, path);
}

function isAtOrBelow(name: KqlName, path: string): boolean {
  if (name.kind === "exact") return path === name.path || path.startsWith(`${name.path}.`);
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    if (matchesPattern(name.parts, path.slice(0, dot))) return true;
  }
  return matchesPattern(name.parts, path);
}

function createEqualityTest(value: KqlValue): ScalarTest {
  if (value.kind === "pattern") return (scalar) => matchesPattern(value.parts, String(scalar));
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

/** Subtracting would do but for infinite numbers, whose difference is none. */
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
