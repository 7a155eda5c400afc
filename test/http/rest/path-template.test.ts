import { describe, expect, test } from "vitest";
import { parsePathTemplate } from "../../../src/http/rest/path-template.ts";

const literal = (value: string) => ({ kind: "literal", value });
const any = { kind: "any" };

describe("a path template", () => {
  test.each([
    { text: "/v1/events", segments: [literal("v1"), literal("events")], variables: [] },
    { text: "/v1/*/x", segments: [literal("v1"), any, literal("x")], variables: [] },
    {
      text: "/v1/{id}",
      segments: [literal("v1"), any],
      variables: [{ name: "id", start: 1, end: 2 }],
    },
    {
      text: "/{b_2=x/*}/y/{c}",
      segments: [literal("x"), any, literal("y"), any],
      variables: [
        { name: "b_2", start: 0, end: 2 },
        { name: "c", start: 3, end: 4 },
      ],
    },
    {
      text: "/v1/{id=*}:archive",
      segments: [literal("v1"), any],
      variables: [{ name: "id", start: 1, end: 2 }],
      verb: "archive",
    },
    { text: "/a%20b/c-d.e_f~", segments: [literal("a b"), literal("c-d.e_f~")], variables: [] },
  ])("$text is parsed", ({ text, segments, variables, verb = "" }) => {
    expect(parsePathTemplate(text)).toEqual({ text, segments, variables, verb });
  });
});

describe("a bad path template is rejected with what is wrong", () => {
  test.each([
    ["", 'offset 0: expected "/"'],
    ["v1", 'offset 0: expected "/"'],
    ["/", "offset 1: expected a segment"],
    ["/v1/", "offset 4: expected a segment"],
    ["/v1//x", "offset 4: expected a segment"],
    ["/v1?x", 'offset 3: unexpected "?"'],
    ["/v1 x", 'offset 3: unexpected " "'],
    ["/a*", 'offset 2: unexpected "*"'],
    ["/**", 'offset 2: unexpected "*"'],
    ["/{a=**}", 'offset 5: expected "}"'],
    ["/{}", "offset 2: expected a field name"],
    ["/{1a}", "offset 2: expected a field name"],
    ["/{a.b}", 'offset 3: expected "}"'],
    ["/{a-b}", 'offset 3: expected "}"'],
    ["/{a", 'offset 3: expected "}"'],
    ["/{a=}", "offset 4: expected a segment"],
    ["/{a={b}}", "offset 4: a variable must not contain another variable"],
    ["/{a}b", 'offset 4: unexpected "b"'],
    ["/{a}/{a}", 'offset 7: the field "a" is bound twice'],
    ["/a:", "offset 3: expected a verb"],
    ["/a:b:c", 'offset 4: unexpected ":"'],
    ["/a:b/c", 'offset 4: unexpected "/"'],
    ["/a%zz", "offset 5: malformed percent escape"],
    ["/a%ff", "offset 5: malformed percent escape"],
  ] as const)('"%s": %s', (text, want) => {
    expect(() => parsePathTemplate(text)).toThrow(`path template "${text}", ${want}`);
  });
});
