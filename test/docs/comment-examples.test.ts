import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { listWarningsOf } from "../../src/domain/filters/filter-warnings.ts";
import { isKindName, kindOf, parseOrderOf } from "../../src/domain/kinds.ts";
import { parseKql } from "../../src/domain/kql/index.ts";
import { parseRecordMask } from "../../src/domain/records/record-mask.ts";
import { listUpdatable } from "../../src/domain/validation/field-mask.ts";
import { loadSchema } from "../../tools/openapi/load-schema.ts";

const schema = await loadSchema();
const METHODS = schema.listServices("svc.studio").flatMap(({ methods }) => methods);

/** Lists the examples in the comment of a field of a method's request: the code after "such as" or "Examples:". */
function listExamples({ input }: DescMethod, name: string): readonly string[] {
  const comment = schema.commentOf(`${input.typeName}.${name}`);
  const [, examples = ""] =
    /(?:such as|Examples:) ((?:`[^`]+`(?:,? or |, )?)+)/.exec(comment) ?? [];
  return Array.from(examples.matchAll(/`([^`]+)`/g), ([, example = ""]) => example);
}

const hasField = (name: string) => (method: DescMethod) =>
  method.input.fields.some((field) => field.name === name);
const toCase = (method: DescMethod) => [method.name, method] as const;
const kindOfMethod = ({ parent }: DescMethod) => parent.typeName.split(".")[3] ?? "";
const isOfMessage = (field: DescField) => field.message?.typeName.startsWith("svc.");

describe.each(["update_mask", "fields_mask"])("the example of %s", (name) => {
  test.each(METHODS.filter(hasField(name)).map(toCase))("in %s names fields", (_, method) => {
    const message = method.input.fields.find(isOfMessage)?.message;
    if (message === undefined) throw new Error("no resource");
    const examples = listExamples(method, name);
    expect(examples).toHaveLength(1);
    for (const it of examples) parseRecordMask(it, message, listUpdatable(message));
  });
});

test.each(METHODS.filter(hasField("order")).map(toCase))(
  "the example of an order in %s is one of its list",
  (_, method) => {
    const kind = kindOfMethod(method);
    if (!isKindName(kind)) throw new Error(kind);
    for (const it of listExamples(method, "order")) parseOrderOf(kind, it);
  },
);

// A list of transactions filters by what no transaction shows.
const FILTERED = METHODS.filter(hasField("filter")).filter((it) => it.name !== "ListTransactions");

test.each(FILTERED.map(toCase))("the examples of a filter in %s need no warning", (_, method) => {
  const kind = kindOfMethod(method);
  const message = isKindName(kind) ? kindOf(kind).schema : undefined;
  const examples = listExamples(method, "filter");
  expect(examples).not.toEqual([]);
  for (const it of examples) {
    const node = parseKql(it);
    if (message) expect(listWarningsOf(node, "filter", message)).toEqual([]);
  }
});
