import { describe, expect, test } from "vitest";
import { Code, DomainError } from "../../../src/domain/base/errors.ts";
import {
  findRequiredTexts,
  parseKql,
  parseKqlTemplate,
  readEqualityFilter,
} from "../../../src/domain/kql/index.ts";
import { openCases } from "../../harness/cases.ts";

const each = openCases("kql/equality-filter");

const FIELD = "billing_transaction_id";

each<[string, readonly string[]]>("the subset of the transaction list", (filter, want) => {
  expect(readEqualityFilter(parseKql(filter), FIELD)).toEqual(want);
});

describe("anything else is rejected by name and place", () => {
  const f = FIELD;

  test.each<[string, number, string]>([
    [`${f}: a or ${f}: b`, 0, "OR"],
    [`${f}: a and ${f}: (a or b)`, 55, "OR"],
    [`not ${f}: a`, 0, "NOT"],
    [`${f}: (not a)`, 25, "NOT"],
    [`${f}: *`, 0, "an existence test"],
    [`${f}: a*`, 0, "a wildcard"],
    [`${f}: null`, 0, "a bare null"],
    [`${f}: true`, 0, "a bare true or false"],
    [`${f} > a`, 0, "a range"],
    [`${f}:{ a: 1 }`, 0, "a nested group"],
    [`${f}: a and tx`, 30, "free text"],
    ["billing*: a", 0, "a wildcard in a field name"],
    ["  state: a", 2, 'the field "state"'],
    ["Billing_transaction_id: a", 0, 'the field "Billing_transaction_id"'],
  ])("%s", (filter, offset, construct) => {
    expectRejected(() => parseKql(filter), offset, construct);
  });

  test("a placeholder", () => {
    expectRejected(() => parseKqlTemplate(`${FIELD}: {id}`), 0, "a placeholder");
  });
});

function expectRejected(
  parse: () => ReturnType<typeof parseKql>,
  offset: number,
  construct: string,
) {
  const node = parse();
  try {
    readEqualityFilter(node, FIELD);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.code).toBe(Code.INVALID_ARGUMENT);
    expect(error.reason).toBe("FILTER_NOT_SUPPORTED");
    const [at, column] = [String(offset), String(offset + 1)];
    expect(error.metadata).toEqual({ construct, offset: at, column });
    expect(error.message).toContain(`olumn ${column}: ${construct} `);
    return;
  }
  throw new Error("it was read");
}

describe("a filter requires", () => {
  test.each<[string, readonly string[] | undefined]>([
    ["type: film", ["film"]],
    ['type: "a film"', ["a film"]],
    ["type: true", ["true"]],
    ["type: film and score > 1", ["film"]],
    ["(not a: 1) and (b: 2 and type: film)", ["film"]],
    ["type: (film or series)", ["film", "series"]],
    ["type: film or type: series", ["film", "series"]],
    ["type: (film or series) and type: film", ["film"]],
    ["", undefined],
    ["film", undefined],
    ["type: *", undefined],
    ["type: f*", undefined],
    ["type: null", undefined],
    ["type >= film", undefined],
    ["not type: film", undefined],
    ["type: film or score: 1", undefined],
    ["(type: film or score: 1) and b: 2", undefined],
    ["t*: film", undefined],
    ["a: { type: film }", undefined],
    ["type.kind: film", undefined],
    ['type: "2026-07-01T00:00:00Z"', undefined],
  ])("of %s: %j", (filter, want) => {
    const got = findRequiredTexts(parseKql(filter), "type");
    expect(got && [...got]).toEqual(want);
  });

  test("nothing of a placeholder", () => {
    expect(findRequiredTexts(parseKqlTemplate("type: {type}"), "type")).toBeUndefined();
  });
});
