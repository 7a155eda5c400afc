import { fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DomainError } from "../../src/domain/base/errors.ts";
import type { Warning } from "../../src/domain/base/warnings.ts";
import { readMessage } from "../../src/protojson/read-message.ts";
import { bind, errorOf } from "../http/rest/call.ts";
import { buildMethods } from "../http/rest/descriptors.ts";

const EVERYTHING = buildMethods([
  { name: "Post", rule: { pattern: { case: "post", value: "/all" }, body: "*" } },
  { name: "PostList", rule: { pattern: { case: "post", value: "/ints" }, body: "ints" } },
  { name: "PostFree", rule: { pattern: { case: "post", value: "/free" }, body: "free" } },
]);

/** Binds a body to test.Everything and gives the message as protobuf-es writes it. */
function post(body: string): unknown {
  const request = bind(EVERYTHING, "POST", "/all", body);
  const [method] = EVERYTHING;
  return method && toJson(method.input, request, { useProtoFieldName: true });
}

describe("values are read as protobuf JSON", () => {
  test.each([
    ['{"int":1e3,"uint":"4294967295"}', { int: 1000, uint: 4294967295 }],
    ['{"int":-2147483648}', { int: -2147483648 }],
    ['{"int":-0}', {}],
    ['{"long":9007199254740993}', { long: "9007199254740993" }],
    ['{"long":-9223372036854775808}', { long: "-9223372036854775808" }],
    ['{"long":"9223372036854775807"}', { long: "9223372036854775807" }],
    ['{"ulong":18446744073709551615}', { ulong: "18446744073709551615" }],
    ['{"ratio":12345678901234567890}', { ratio: 12345678901234567000 }],
    ['{"ratio":"NaN"}', { ratio: "NaN" }],
    ['{"small_ratio":"-Infinity"}', { small_ratio: "-Infinity" }],
    ['{"small_ratio":3.4e38}', { small_ratio: 3.4e38 }],
    ['{"ratio":"1.5e-3"}', { ratio: 0.0015 }],
    ['{"raw":"AQI="}', { raw: "AQI=" }],
    [
      '{"colour":"COLOUR_RED","colours":["COLOUR_RED","COLOUR_UNSPECIFIED"]}',
      { colour: "COLOUR_RED", colours: ["COLOUR_RED", "COLOUR_UNSPECIFIED"] },
    ],
    ['{"time":"2028-02-29T23:59:59.5+02:00"}', { time: "2028-02-29T21:59:59.500Z" }],
    ['{"time":"0001-01-01T00:00:00Z"}', { time: "0001-01-01T00:00:00Z" }],
    ['{"length":"75.5s"}', { length: "75.500s" }],
    ['{"length":"-0.000000001s"}', { length: "-0.000000001s" }],
    [
      '{"maybe":false,"maybe_long":9007199254740993}',
      { maybe: false, maybe_long: "9007199254740993" },
    ],
    ['{"value":null,"values":[null,1,"x"]}', { value: null, values: [null, 1, "x"] }],
    ['{"value":{"a":12345678901234567890}}', { value: { a: 12345678901234567000 } }],
    ['{"list":[[],{},null]}', { list: [[], {}, null] }],
    ['{"free":{"a":null,"f":false}}', { free: { a: null, f: false } }],
    ['{"frees":[{},{"a":1}]}', { frees: [{}, { a: 1 }] }],
    ['{"tristate":false}', { tristate: false }],
    ['{"masks":["a","b,c"]}', { masks: ["a", "b,c"] }],
    ['{"choice_value":null}', { choice_value: null }],
    ['{"choice_text":null,"choice_inner":{}}', { choice_inner: {} }],
    ['{"choice_flag":false,"choice_text":""}', { choice_text: "" }],
    ['{"nothing":null}', {}],
    ['{"inners":[{"count":1},{}]}', { inners: [{ count: 1 }, {}] }],
    ['{"self":{"self":{"text":"deep"}}}', { self: { self: { text: "deep" } } }],
    ['{"by_name":{"a":{"name":"b"},"":{}}}', { by_name: { a: { name: "b" }, "": {} } }],
    [
      '{"by_long":{"-5":"x"},"by_flag":{"true":"y"}}',
      { by_long: { "-5": "x" }, by_flag: { true: "y" } },
    ],
  ] as const)("%s", (body, want) => {
    expect(post(body)).toEqual(want);
  });

  test("any message that protobuf-es writes", () => {
    const [method] = EVERYTHING;
    const json = {
      text: "t",
      flag: true,
      raw: "AAEC",
      ratio: -0.5,
      long: "-1",
      colour: "COLOUR_RED",
      inner: { name: "n" },
      time: "2026-06-11T19:00:00.123456789Z",
      length: "3.000001s",
      free: { a: { b: [1, null, "x", { c: true }] } },
      tags: ["a", "b"],
      by_name: { k: { count: 2 } },
      choice_flag: true,
      tristate: true,
    };
    const want = method && fromJson(method.input, json);
    expect(bind(EVERYTHING, "POST", "/all", JSON.stringify(json))).toEqual(want);
  });
});

describe("a body of one field", () => {
  test("may be a list", () => {
    expect(bind(EVERYTHING, "POST", "/ints", "[1,2]")).toMatchObject({ ints: [1, 2] });
  });

  test("may be a free object, as deep as a body may be", () => {
    const text = `${'{"a":'.repeat(100)}1${"}".repeat(100)}`;
    expect(bind(EVERYTHING, "POST", "/free", text)).toMatchObject({ free: JSON.parse(text) });
  });
});

describe("values out of their type are rejected by the field's path", () => {
  const cases = [
    ['{"int":"0x10"}', "int"],
    ['{"int":""}', "int"],
    ['{"int":" 1"}', "int"],
    ['{"int":"01"}', "int"],
    ['{"int":"1 "}', "int"],
    ['{"int":true}', "int"],
    ['{"uint":-1}', "uint"],
    ['{"uint":4294967296}', "uint"],
    ['{"int":2147483648}', "int"],
    ['{"int":-2147483649}', "int"],
    ['{"long":9223372036854775808}', "long"],
    ['{"long":-9223372036854775809}', "long"],
    ['{"long":"9223372036854775808"}', "long"],
    ['{"long":1.5}', "long"],
    ['{"long":9007199254740993.0}', "long"],
    ['{"long":1e400}', "long"],
    [`{"long":${"9".repeat(5000)}}`, "long"],
    ['{"ulong":-1}', "ulong"],
    ['{"ulong":18446744073709551616}', "ulong"],
    ['{"ratio":1e400}', "ratio"],
    [`{"ratio":${"9".repeat(400)}}`, "ratio"],
    ['{"ratio":"nan"}', "ratio"],
    ['{"small_ratio":3.5e38}', "small_ratio"],
    ['{"flag":0}', "flag"],
    ['{"flag":"true"}', "flag"],
    ['{"raw":"?"}', "raw"],
    ['{"raw":[1]}', "raw"],
    ['{"text":"\\udc00"}', "text"],
    ['{"text":{}}', "text"],
    ['{"colour":1}', "colour"],
    ['{"colour":true}', "colour"],
    ['{"colour":99999999999999999999}', "colour"],
    ['{"tags":"a"}', "tags"],
    ['{"tags":[null]}', "tags[0]"],
    ['{"inner":[]}', "inner"],
    ['{"by_name":[]}', "by_name"],
    ['{"by_name":{"k":null}}', 'by_name["k"]'],
    ['{"time":"2026-02-30T00:00:00Z"}', "time"],
    ['{"time":"2026-02-29T00:00:00Z"}', "time"],
    ['{"time":"2026-04-31T00:00:00+02:00"}', "time"],
    ['{"time":"2026-13-01T00:00:00Z"}', "time"],
    ['{"time":"2026-01-01T24:00:00Z"}', "time"],
    ['{"time":"2026-01-01T00:00:60Z"}', "time"],
    ['{"time":"2026-01-01T00:00:00"}', "time"],
    ['{"time":"2026-01-01"}', "time"],
    ['{"time":"0000-12-31T00:00:00Z"}', "time"],
    ['{"time":1}', "time"],
    ['{"length":"75"}', "length"],
    ['{"length":"75sx"}', "length"],
    ['{"length":"1.0000000001s"}', "length"],
    ['{"length":".5s"}', "length"],
    ['{"length":"1h"}', "length"],
    ['{"length":"315576000001s"}', "length"],
    ['{"length":75}', "length"],
    ['{"maybe":"true"}', "maybe"],
    ['{"list":{}}', "list"],
    ['{"free":"x"}', "free"],
    ['{"free":{"\\ud800":1}}', "free"],
    ['{"value":{"a":{"b":1e999}}}', "value.a.b"],
    ['{"any":{"@type":"type.googleapis.com/test.Inner"}}', "any"],
    ['{"masks":["a",1]}', "masks[1]"],
    ['{"inners":[{},{"count":"x"}]}', "inners[1].count"],
    ['{"inners":[null]}', "inners[0]"],
    ['{"by_name":{"k":{"count":[]}}}', 'by_name["k"].count'],
    ['{"by_long":{"1.5":"x"}}', 'by_long["1.5"]'],
    ['{"by_flag":{"yes":"x"}}', 'by_flag["yes"]'],
  ] as const;
  for (const [body, field] of cases) {
    test(`${body.slice(0, 60)} at ${field}`, () => {
      expect(errorOf(() => post(body))).toMatchObject({ reason: "VALUE_INVALID", fields: [field] });
    });
  }

  test("and a map key that is the same number in two spellings", () => {
    const got = errorOf(() => post('{"by_long":{"1":"x","1e0":"y"}}'));
    expect(got).toMatchObject({ reason: "FIELD_DUPLICATE", fields: ['by_long["1e0"]'] });
  });

  test("and two members of a oneof, one of them google.protobuf.Value", () => {
    const got = errorOf(() => post('{"choice_text":"","choice_value":null}'));
    expect(got).toMatchObject({
      reason: "ONEOF_CONFLICT",
      fields: ["choice_text", "choice_value"],
    });
  });
});

test("any JSON is bound to a message that can be serialized, or rejected with a DomainError", () => {
  const [method] = EVERYTHING;
  const names = method?.input.fields.flatMap(({ name, jsonName }) => [name, jsonName]) ?? [];
  const key = fc.constantFrom(...names, "name", "count", "nope", "__proto__");
  const text = fc.constantFrom("1", "true", "COLOUR_RED", "2026-02-30T00:00:00Z", "1.5s", "aB,c");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue({ maxDepth: 1 }),
      text,
      tie("list"),
      tie("object"),
    ),
    list: fc.array(tie("value"), { maxLength: 3 }),
    object: fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  }));
  let bound = 0;
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 3 }), (json) => {
      try {
        const request = bind(EVERYTHING, "POST", "/all", JSON.stringify(json));
        bound++;
        if (method) {
          toBinary(method.input, request);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(DomainError);
      }
    }),
    { numRuns: 1000 },
  );
  expect(bound).toBeGreaterThan(50);
});

describe("unknown fields are warnings where a reader takes them", () => {
  const [method] = EVERYTHING;
  if (method === undefined) throw new Error("there is no method");
  const read = (count: number) => {
    const warnings: Warning[] = [];
    const json = Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, { x: 1 }]));
    readMessage(method.input, { ...json, int: 1 }, "", { warnings });
    return warnings;
  };

  test.each([
    [0, 0],
    [20, 20],
    [21, 20],
    [10_000, 20],
  ])("of %d, %d are named", (count, named) => {
    expect(read(count)).toHaveLength(named);
  });
});
