import fc from "fast-check";
import type {
  KqlLiteralPart,
  KqlName,
  KqlNode,
  KqlRangeOperator,
  KqlValue,
} from "../../../src/domain/kql/index.ts";
import { isUnknownDateMath } from "../../../src/domain/kql/instant.ts";
import { createClause } from "../../../src/domain/kql/node.ts";

const NOWHERE = { start: 0, end: 0 };

/** Pieces that parsers trip over. */
const PIECES = [
  ...'ab0.-\\():<>"*{}\n\t\r \u00a0🏀',
  ..." not | and | or |NOT |\\not|\\|null|true|{q}|{a.b}|{a b}|now+7d| OR (|\ud800|\\u00".split(
    "|",
  ),
];

/** Text made of what the language gives a meaning to. */
export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })), { maxLength: 12 })
  .map((pieces) => pieces.join(""));

const someText = fc.oneof(hostileText, fc.constantFrom("a", "b c", "not", "or x", "10"));
const bareText = someText.filter((text) => !["", "null", "true", "false"].includes(text));
const patternParts = fc.array(someText, { minLength: 2, maxLength: 4 });

const name: fc.Arbitrary<KqlName> = fc.oneof(
  bareText.map((path): KqlName => ({ kind: "exact", path, quoted: false })),
  someText.map((path): KqlName => ({ kind: "exact", path, quoted: true })),
  patternParts.map((parts): KqlName => ({ kind: "pattern", parts })),
);

const plainValue: fc.Arbitrary<KqlValue> = fc.oneof(
  bareText.map((text): KqlValue => ({ kind: "text", text, quoted: false })),
  someText.map((text): KqlValue => ({ kind: "text", text, quoted: true })),
  fc.boolean().map((value): KqlValue => ({ kind: "bool", value })),
  fc.constant<KqlValue>({ kind: "null" }),
  patternParts.map((parts): KqlValue => ({ kind: "pattern", parts })),
);

const templateValue: fc.Arbitrary<KqlValue> = fc
  .tuple(fc.boolean(), someText, fc.constantFrom("q", "event.id"), someText, fc.boolean())
  .map(([quoted, before, path, after, starred]): KqlValue => {
    const parts: readonly KqlLiteralPart[] = [
      { kind: "text", text: before },
      { kind: "placeholder", path },
      ...(starred && !quoted ? [{ kind: "star" } as const] : []),
      { kind: "text", text: after },
    ];
    const kept = parts.filter((part) => part.kind !== "text" || part.text !== "");
    return { kind: "template", parts: kept, quoted, span: NOWHERE };
  });

const operator = fc.constantFrom<KqlRangeOperator>("lt", "lte", "gt", "gte");

/** Trees that a parser can give, small enough for the limits. */
export const plainTree = createTree(plainValue);

/** Trees whose values hold placeholders too: `q` and `event.id`. */
export const templateTree = createTree(fc.oneof(plainValue, templateValue));

function isBound(value: KqlValue): boolean {
  return value.kind !== "text" || !isUnknownDateMath(value.text);
}

function createTree(value: fc.Arbitrary<KqlValue>): fc.Arbitrary<KqlNode> {
  const leaf: fc.Arbitrary<KqlNode> = fc.oneof(
    fc
      .tuple(fc.option(name), value)
      .map(([field, wanted]): KqlNode => createClause(field, wanted, NOWHERE)),
    fc.tuple(name, operator, value.filter(isBound)).map(
      ([field, sign, bound]): KqlNode => ({
        type: "range",
        name: field,
        operator: sign,
        value: bound,
        span: NOWHERE,
      }),
    ),
    fc.array(value, { minLength: 2, maxLength: 3 }).map((values): KqlNode => {
      const field = { kind: "exact", path: "f", quoted: false } as const;
      const items = values.map((wanted) => createClause(field, wanted, NOWHERE));
      return { type: "or", items, span: NOWHERE };
    }),
  );
  return fc.letrec<{ node: KqlNode }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true, maxDepth: 4 },
      leaf,
      fc
        .tuple(
          fc.constantFrom("and" as const, "or" as const),
          fc.array(tie("node"), { minLength: 2, maxLength: 3 }),
        )
        .map(([type, items]): KqlNode => ({ type, items, span: NOWHERE })),
      tie("node").map((item): KqlNode => ({ type: "not", item, span: NOWHERE })),
      fc
        .tuple(someText, tie("node"))
        .map(([path, item]): KqlNode => ({ type: "nested", path, item, span: NOWHERE })),
    ),
  })).node;
}
