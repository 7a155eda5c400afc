import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { makeOpenApi } from "../../tools/openapi/document.ts";
import { SHAPES } from "../../tools/openapi/shapes.ts";
import { readFiles } from "../conventions/source-files.ts";
import { readPage } from "./pages.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every form.
type AnyJson = any;

const DOCUMENT: AnyJson = await makeOpenApi();
const { text } = readPage("docs/components.md");
const COMMENTS = readFiles("proto/svc/studio/ott/page_component", ".proto")
  .map((it) => it.text.replaceAll(/\n\s*\/\/ ?/g, " "))
  .join("\n");

/** The sections of the page on shapes, by name. */
const SECTIONS = new Map(
  (text.split(/^## Shapes$/m)[1] ?? "")
    .split(/^### /m)
    .slice(1)
    .map((it) => [it.split("\n")[0] ?? "", it] as const),
);

/** The fields with a shape, as `rail.card`, by the name of their message: `svc.….Rail`. */
const FIELDS = PageComponentSchema.fields.flatMap(({ name, message }) => {
  const properties = DOCUMENT.components.schemas[message?.typeName ?? ""]?.properties ?? {};
  return Object.entries<AnyJson>(properties).flatMap(([field, schema]) => {
    const ref: string | undefined = (schema.items ?? schema).anyOf?.[0].$ref;
    return ref === undefined ? [] : [{ member: name, field, shape: ref.split("/").at(-1) ?? "" }];
  });
});

/** The schemas of shapes, without keys that are not described. */
const ajv = new Ajv2020({ strict: false });
const closed = structuredClone(SHAPES) as Record<string, object>;
for (const shape of Object.values(closed)) {
  if ("properties" in shape) Object.assign(shape, { additionalProperties: false });
}
ajv.addSchema({ components: { schemas: closed } }, "shapes");

function check(shape: string, value: unknown): unknown {
  const validate = ajv.getSchema(`shapes#/components/schemas/${shape}`);
  if (validate === undefined) throw new Error(`no schema of ${shape}`);
  return validate(value) ? [] : validate.errors;
}

/** Finds the values of fields with a shape in a page component. */
function listShaped(component: AnyJson): { shape: string; value: unknown }[] {
  return FIELDS.flatMap(({ member, field, shape }) => {
    const value = component[member]?.[field];
    return value === undefined ? [] : [value].flat().map((it) => ({ shape, value: it }));
  });
}

test("the OpenAPI document has each shape that a comment or the page of components names, and no other", () => {
  const named = Array.from(COMMENTS.matchAll(/(\w+) \(docs\/components\.md\)/g), ([, it]) => it);
  const names = Object.keys(SHAPES).sort();
  expect(names).toEqual([...new Set(named)].sort());
  expect(names).toEqual([...SECTIONS.keys()].sort());
  expect(Object.keys(DOCUMENT.components.schemas)).toEqual(expect.arrayContaining(names));
});

test("each field whose comment begins with a shape refers to it, and accepts any other object", () => {
  expect(FIELDS).toHaveLength(30);
  const used = new Set(FIELDS.map(({ shape }) => shape));
  expect([...used].sort()).toEqual(Object.keys(SHAPES).sort());
  const { card } = DOCUMENT.components.schemas["svc.studio.ott.page_component.v2.Rail"].properties;
  expect(card.anyOf).toEqual([
    { $ref: "#/components/schemas/Card" },
    { type: "object", additionalProperties: true },
  ]);
});

test.each(Object.entries(SHAPES))("the page of components describes the keys of %s", (name, it) => {
  for (const key of Object.keys((it as AnyJson).properties ?? {})) {
    expect(SECTIONS.get(name)).toContain(`\`${key}\``);
  }
});

describe("the shapes describe", () => {
  const demo = readFileSync("demo/demo.ndjson", "utf8").trim().split("\n");
  const stored = demo.flatMap((line) => {
    const component = JSON.parse(line).page_component?.page_component;
    return component === undefined ? [] : listShaped(component);
  });
  const blocks = Array.from(text.matchAll(/^```json\n([\s\S]*?)^```$/gm), ([, json = ""]) => json);
  const shown = blocks.flatMap((json) => listShaped(JSON.parse(json)));

  test.each([
    ["the components of the demo", stored, 30],
    ["the examples of the page", shown, 20],
  ] as const)("%s", (_, values, count) => {
    expect(values.length).toBeGreaterThan(count);
    const errors = values.filter(
      ({ shape, value }) => JSON.stringify(check(shape, value)) !== "[]",
    );
    expect(errors).toEqual([]);
  });

  test("the examples of comments, and not every object", () => {
    const examples = Array.from(
      COMMENTS.matchAll(
        /(\w+) \(docs\/components\.md\)(?:(?!docs\/)[^\n])*?Example: `(\{[^`]*\})`/g,
      ),
    );
    expect(examples.length).toBeGreaterThan(30);
    const errors = examples.filter(([, shape = "", json = ""]) => {
      const isInfo = json.includes("home_name");
      return !isInfo && JSON.stringify(check(shape, JSON.parse(json))) !== "[]";
    });
    expect(errors.map(([, shape, json]) => `${shape} ${json}`)).toEqual([]);
    expect(check("Card", { kind: 1 })).not.toEqual([]);
    expect(check("Card", { tilte: { keypath: "title" } })).not.toEqual([]);
  });
});
