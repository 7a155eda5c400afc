import fc from "fast-check";
import type {
  KqlName,
  KqlNode,
  KqlRangeOperator,
  KqlValue,
} from "../../../src/domain/kql/index.ts";
import { createClause } from "../../../src/domain/kql/node.ts";
import { hostileText, plainTree } from "../../domain/kql/arbitraries.ts";

const NOWHERE = { start: 0, end: 0 };

/** The clock of the random filters, between the timestamps of the random documents. */
export const NOW = Date.parse("2026-06-11T18:00:00Z");

const KEYS = ["a", "b", "a.b", "", "🏀", "a\u0000", "A", "[a]"];
const PATHS = [...KEYS, "a.a", "b.a", "a.b.a", "a.", ".a", "a\u0001", "none"];
const TEXTS = [
  ...["", "a", "A", "ab", "b", "a b", "10", "010", "10.0", "1e1", "-1.5", "true", "null", "now"],
  ...["2026-06-11T18:00:00Z", "2026-06-11T20:00:00+02:00", "2026-06-11T18:00:00.5Z", "2026-06-11"],
  ...["now-1d", "now+1h", "2026-06-12T00:00:00Z", "2026-06-10T00:00:00Z", "Infinity", "1e999"],
  ...["a\u0000", "a\u0000b", "a\u0001", "a\u0003b", "\u0002", "\t\n", "[a]", "[", "?", "*", "%"],
  ...["_", "'", '"', "\\", "｡", "\uffff", "🏀", "🏀🏀", "\u{10ffff}", "\ud7ff", "\ue000", "\ud800"],
];
const NUMBERS = [10, 0, -0, 0.1, -1.5, 1e21, 5e-324, 1.7976931348623157e308, 2 ** 53];

const text = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...TEXTS) }, hostileText);
const part = fc.oneof(fc.constantFrom("", "", "", "a", "b", ".", "1", "0", "🏀"), text);
const parts = fc.oneof(
  fc.array(part, { minLength: 2, maxLength: 4 }),
  text.map((it) => [it, ""]),
);

const name: fc.Arbitrary<KqlName> = fc.oneof(
  fc.constantFrom(...PATHS).map((path): KqlName => ({ kind: "exact", path, quoted: true })),
  fc.constantFrom("a", "b").map((path): KqlName => ({ kind: "exact", path, quoted: false })),
  parts.map((it): KqlName => ({ kind: "pattern", parts: it })),
);

const value: fc.Arbitrary<KqlValue> = fc.oneof(
  { weight: 5, arbitrary: text.map((it): KqlValue => ({ kind: "text", text: it, quoted: true })) },
  { weight: 2, arbitrary: parts.map((it): KqlValue => ({ kind: "pattern", parts: it })) },
  fc.boolean().map((it): KqlValue => ({ kind: "bool", value: it })),
  fc.constant<KqlValue>({ kind: "null" }),
);

const clause: fc.Arbitrary<KqlNode> = fc.oneof(
  fc.tuple(fc.option(name), value).map(([field, it]) => createClause(field, it, NOWHERE)),
  name.map((it): KqlNode => ({ type: "exists", name: it, span: NOWHERE })),
  fc.tuple(name, fc.constantFrom<KqlRangeOperator>("lt", "lte", "gt", "gte"), value).map(
    ([field, operator, it]): KqlNode => ({
      type: "range",
      name: field,
      operator,
      value: it,
      span: NOWHERE,
    }),
  ),
);

const likelyTree = fc.letrec<{ node: KqlNode }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true, maxDepth: 5 },
    { weight: 2, arbitrary: clause },
    fc
      .tuple(
        fc.constantFrom("and" as const, "or" as const),
        fc.array(tie("node"), { minLength: 2, maxLength: 4 }),
      )
      .map(([type, items]): KqlNode => ({ type, items, span: NOWHERE })),
    tie("node").map((item): KqlNode => ({ type: "not", item, span: NOWHERE })),
    fc
      .tuple(fc.constantFrom("a", "b", "a.b", "", "🏀", "a\u0000"), tie("node"))
      .map(([path, item]): KqlNode => ({ type: "nested", path, item, span: NOWHERE })),
  ),
})).node;

/** Filters that speak of the same fields and values as {@link document}, and some that do not. */
export const tree: fc.Arbitrary<KqlNode> = fc.oneof(
  { weight: 5, arbitrary: likelyTree },
  { weight: 1, arbitrary: plainTree },
);

/** JSON documents with few keys, many kinds of scalars, and objects in objects. */
export const document: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  object: fc.dictionary(
    fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...KEYS) }, hostileText),
    tie("value"),
    { maxKeys: 4, noNullPrototype: true },
  ),
  value: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    fc.oneof(text, fc.constantFrom<unknown>(...NUMBERS, true, false, null)),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
    tie("object"),
  ),
})).object;

const narrowName: fc.Arbitrary<KqlName | null> = fc.oneof(
  fc
    .constantFrom("a", "b", "c", "a.b", "b.a")
    .map((path): KqlName => ({ kind: "exact", path, quoted: false })),
  fc
    .constantFrom(["a", ""], ["", "b"], ["", ".c"])
    .map((it): KqlName => ({ kind: "pattern", parts: it })),
  fc.constant(null),
);

/** Filters of few fields and values with groups in groups, where one wrong element shows. */
export const narrowTree: fc.Arbitrary<KqlNode> = fc.letrec<{ node: KqlNode }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true, maxDepth: 6 },
    fc
      .tuple(narrowName, fc.constantFrom("1", "2"))
      .map(([field, it]) =>
        createClause(field, { kind: "text", text: it, quoted: false }, NOWHERE),
      ),
    fc
      .tuple(fc.constantFrom("and" as const, "or" as const), fc.tuple(tie("node"), tie("node")))
      .map(([type, items]): KqlNode => ({ type, items, span: NOWHERE })),
    tie("node").map((item): KqlNode => ({ type: "not", item, span: NOWHERE })),
    fc
      .tuple(fc.constantFrom("a", "b"), tie("node"))
      .map(([path, item]): KqlNode => ({ type: "nested", path, item, span: NOWHERE })),
  ),
})).node;

/** Documents for {@link narrowTree}: lists of objects in lists of objects. */
export const narrowDocument: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  object: fc.record(
    { a: tie("value"), b: tie("value"), c: fc.constantFrom(1, 2) },
    { requiredKeys: ["c"], noNullPrototype: true },
  ),
  value: fc.oneof(
    { depthSize: "medium", maxDepth: 4 },
    fc.constantFrom(1, 2),
    fc.array(tie("object"), { minLength: 1, maxLength: 3 }),
  ),
})).object;
