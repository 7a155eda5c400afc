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
    { text: "/a/c-d.e_f~", segments: [literal("a"), literal("c-d.e_f~")], variables: [] },
  ])("$text is parsed", ({ text, segments, variables, verb = "" }) => {
    expect(parsePathTemplate(text)).toEqual({ text, segments, variables, verb });
  });
});

describe("a bad path template is rejected with what is wrong", () => {
  test.each([
    ["", "balanced braces"],
    ["v1", "balanced braces"],
    ["/", '"" is not a literal'],
    ["/v1/", '"" is not a literal'],
    ["/v1//x", '"" is not a literal'],
    ["/v1?x", '"v1?x" is not a literal'],
    ["/v1 x", '"v1 x" is not a literal'],
    ["/a%20", '"a%20" is not a literal'],
    ["/a*", '"a*" is not a literal'],
    ["/**", '"**" is not a literal'],
    ["/{a=**}", '"**" is not a literal'],
    ["/{}", '"{}" is not a literal'],
    ["/{1a}", '"{1a}" is not a literal'],
    ["/{a.b}", '"{a.b}" is not a literal'],
    ["/{a", "balanced braces"],
    ["/{a=}", '"" is not a literal'],
    ["/{a={b}}", "balanced braces"],
    ["/{a}b", '"{a}b" is not a literal'],
    ["/{a}/{a}", '"a" is bound twice'],
    ["/a:", '"" is not a literal'],
    ["/a:b:c", '"b:c" is not a literal'],
    ["/a:b/c", '"b/c" is not a literal'],
  ] as const)('"%s": %s', (text, want) => {
    expect(() => parsePathTemplate(text)).toThrow(`path template "${text}": `);
    expect(() => parsePathTemplate(text)).toThrow(want);
  });
});
