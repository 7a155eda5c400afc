import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DomainError } from "../../src/domain/base/errors.ts";
import {
  isObject,
  type JsonValue,
  LongInteger,
  readJson,
  readJsonBytes,
  readJsonNumber,
} from "../../src/protojson/read-json.ts";
import { errorOf } from "../http/rest/call.ts";

/** Gives what JSON.parse would give: long integers become the nearest number. */
function toParsed(json: JsonValue): unknown {
  if (json instanceof LongInteger) {
    return Number(json.text);
  }
  if (Array.isArray(json)) {
    return json.map(toParsed);
  }
  return isObject(json)
    ? Object.fromEntries(Object.entries(json).map(([key, value]) => [key, toParsed(value)]))
    : json;
}

describe("valid JSON", () => {
  const texts = [
    "null",
    "true",
    " false ",
    "0",
    "-0",
    "-1.5e-3",
    "1E+2",
    "1e400",
    '""',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\uD83D\\ude00"',
    '"ünïcode 😀 \u2028"',
    "[]",
    "{}",
    "[ ]",
    "{ }",
    '\t\r\n[1 , [2] , {"a" : [ ] }]\n',
    '{"":1,"a":{"":2},"2":0,"1":0}',
    '{"__proto__":{"x":1},"constructor":2,"toString":3,"hasOwnProperty":4}',
    "[".repeat(100) + "]".repeat(100),
  ];
  for (const text of texts) {
    test(`${text.slice(0, 40)} is read as JSON.parse reads it`, () => {
      expect(toParsed(readJson(text))).toEqual(JSON.parse(text));
    });
  }

  test("the keys __proto__ and constructor are plain data", () => {
    const got = readJson('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}');
    expect(Object.keys(got ?? {})).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(got)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
  });

  test.each([
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740992", new LongInteger("9007199254740992")],
    ["9007199254740993", new LongInteger("9007199254740993")],
    ["1152921504606847000", new LongInteger("1152921504606847000")],
    ["-9223372036854775808", new LongInteger("-9223372036854775808")],
    ["9007199254740993.0", 9007199254740992],
    ["1e3", 1000],
  ] as const)("the number %s keeps its digits", (text, want) => {
    expect(readJson(text)).toEqual(want);
    expect(readJsonNumber(text)).toEqual(want);
  });

  test("agrees with JSON.parse on any value", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6 }),
        fc.integer({ min: 0, max: 3 }),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          expect(toParsed(readJson(text))).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("broken JSON is rejected with its position", () => {
  const cases = [
    ["", "JSON_SYNTAX", 0, "expected a value"],
    ["  ", "JSON_SYNTAX", 2, "expected a value"],
    ["nul", "JSON_SYNTAX", 0, "expected a value"],
    ["undefined", "JSON_SYNTAX", 0, "expected a value"],
    ["NaN", "JSON_SYNTAX", 0, "expected a value"],
    ["{} x", "JSON_SYNTAX", 3, "expected the end of the text"],
    ["{}{}", "JSON_SYNTAX", 2, "expected the end of the text"],
    ["truex", "JSON_SYNTAX", 4, "expected the end of the text"],
    ["\u00a01", "JSON_SYNTAX", 0, "expected a value"],
    ["\ufeff1", "JSON_SYNTAX", 0, "expected a value"],
    ["[1,]", "JSON_SYNTAX", 3, "expected a value"],
    ["[1 2]", "JSON_SYNTAX", 3, 'expected "," or "]"'],
    ["[1", "JSON_SYNTAX", 2, 'expected "," or "]"'],
    ["[", "JSON_SYNTAX", 1, "expected a value"],
    ["{", "JSON_SYNTAX", 1, "expected a key in double quotes"],
    ["{a:1}", "JSON_SYNTAX", 1, "expected a key in double quotes"],
    ["{'a':1}", "JSON_SYNTAX", 1, "expected a key in double quotes"],
    ['{"a"}', "JSON_SYNTAX", 4, 'expected ":"'],
    ['{"a":}', "JSON_SYNTAX", 5, "expected a value"],
    ['{"a":1,}', "JSON_SYNTAX", 7, "expected a key in double quotes"],
    ['{"a":1 "b":2}', "JSON_SYNTAX", 7, 'expected "," or "}"'],
    ['// c\n{"a":1}', "JSON_SYNTAX", 0, "expected a value"],
    ["01", "JSON_SYNTAX", 1, "expected the end of the text"],
    ["-", "JSON_SYNTAX", 1, "expected a digit"],
    ["+1", "JSON_SYNTAX", 0, "expected a value"],
    [".5", "JSON_SYNTAX", 0, "expected a value"],
    ["1.", "JSON_SYNTAX", 2, "expected a digit"],
    ["1e", "JSON_SYNTAX", 2, "expected a digit"],
    ["0x10", "JSON_SYNTAX", 1, "expected the end of the text"],
    ['"abc', "JSON_SYNTAX", 4, "unterminated string"],
    ['"a\nb"', "JSON_SYNTAX", 2, "control character in a string"],
    ['"\\x"', "JSON_SYNTAX", 1, "unknown escape in a string"],
    ['"\\', "JSON_SYNTAX", 1, "unknown escape in a string"],
    ['"\\u12g4"', "JSON_SYNTAX", 1, "expected four hexadecimal digits"],
    ['{"a":1,"b":2,"a":3}', "JSON_DUPLICATE_KEY", 13, 'duplicate key "a"'],
    ['{"a":1,"\\u0061":3}', "JSON_DUPLICATE_KEY", 7, 'duplicate key "a"'],
    ['{"__proto__":1,"__proto__":2}', "JSON_DUPLICATE_KEY", 15, 'duplicate key "__proto__"'],
    ["[".repeat(101), "JSON_TOO_DEEP", 100, "the JSON nests deeper than 100 levels"],
    ['{"a":'.repeat(101), "JSON_TOO_DEEP", 500, "the JSON nests deeper than 100 levels"],
  ] as const;
  for (const [text, reason, offset, want] of cases) {
    test(`${JSON.stringify(text).slice(0, 40)}: ${want} at ${offset}`, () => {
      const got = errorOf(() => readJson(text));
      expect(got.reason).toBe(reason);
      expect(got.message).toBe(`${want} at line 1, column ${offset + 1} (offset ${offset})`);
    });
  }

  test("lines and columns count from one, offsets from zero", () => {
    try {
      readJson('{\n  "ä": "😀",\n  "b": x\n}');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ metadata: { offset: "22", line: "3", column: "8" } });
    }
  });

  test("siblings do not add to the depth", () => {
    const text = `[${Array.from({ length: 300 }, () => '[{"a":[]}]').join()}]`;
    expect(readJson(text)).toHaveLength(300);
  });

  test("any text is read or rejected with a DomainError, as JSON.parse would", () => {
    const fragment = fc.constantFrom(
      ...'{}[],:"\\ \n019.-+eEutrfalsn',
      "true",
      "null",
      '"a":',
      "\u0001",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(fragment, { maxLength: 12 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, (text) => {
        let want: unknown = new Error("refused");
        try {
          want = JSON.parse(text);
        } catch {}
        try {
          expect(toParsed(readJson(text))).toEqual(want);
        } catch (error) {
          if (!(error instanceof DomainError)) {
            throw error;
          }
          expect(error.reason === "JSON_DUPLICATE_KEY" || want instanceof Error).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the bytes of a body", () => {
  const bytes = (...all: number[]) => new Uint8Array(all);

  test("are decoded as UTF-8", () => {
    expect(readJsonBytes(new TextEncoder().encode('{"a":"ü😀"}'))).toEqual({ a: "ü😀" });
  });

  const cases = {
    "a byte order mark": bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d),
    "a lone continuation byte": bytes(0x22, 0x80, 0x22),
    "an overlong form": bytes(0xc0, 0xaf),
    "half a surrogate pair": bytes(0xed, 0xa0, 0x80),
    "a cut-off character": bytes(0x22, 0xc3),
    Latin1: bytes(0x22, 0xfc, 0x22),
  };
  test.each(Object.entries(cases))("with %s are BODY_NOT_UTF8", (_, body) => {
    expect(errorOf(() => readJsonBytes(body)).reason).toBe("BODY_NOT_UTF8");
  });
});
