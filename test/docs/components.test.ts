import { statSync } from "node:fs";
import { type DescMessage, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { checkPageComponent } from "../../src/domain/pages/components/check.ts";
import { readFiles } from "../conventions/source-files.ts";
import { ROOT } from "../harness/process.ts";
import { readPage } from "./pages.ts";

const { text } = readPage("docs/components.md");

/** The sections of the third level, by their headings. */
const SECTIONS = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((it) => {
      const [heading = ""] = it.split("\n");
      const [body = ""] = it.slice(heading.length).split(/^## /m);
      return [heading.replaceAll("`", ""), body];
    }),
);
const EXAMPLES = Array.from(text.matchAll(/^```json\n([\s\S]*?)^```$/gm), ([, json = ""]) => json);
const KINDS = PageComponentSchema.fields.flatMap((field) =>
  field.oneof !== undefined && field.fieldKind === "message" ? [field] : [],
);

/** Lists the fields that the tables of a section name. */
function listFields(section: string): string[] {
  const cells = Array.from(section.matchAll(/^\| (`[^|]*)\|/gm), ([, cell = ""]) => cell);
  return cells.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name = ""]) => name));
}

describe("the page of components", () => {
  test.each(KINDS.map((field) => [field.name, field.message] as const))(
    "has the kind %s, its fields and an example",
    (name, message: DescMessage) => {
      const section = SECTIONS.get(name) ?? "";
      const fields =
        message.typeName === StructSchema.typeName ? [] : message.fields.map((it) => it.name);
      expect(listFields(section).toSorted()).toEqual(fields.toSorted());
      expect(section).toContain(`"type": "${name}"`);
      expect(section).toContain(`](pictures/${name.replaceAll("_", "-")}.webp)`);
    },
  );

  test.each(EXAMPLES.map((json) => [json]))("has an example that can be stored: %s", (json) => {
    const component = fromJson(PageComponentSchema, JSON.parse(json) as JsonObject);
    expect(() => checkPageComponent(component, "page_component")).not.toThrow();
  });

  test("has pictures below 60 kB each and 700 kB together", () => {
    const names = Array.from(text.matchAll(/\]\((pictures\/[^)]*)\)/g), ([, name = ""]) => name);
    const sizes = new Map(names.map((name) => [name, statSync(`${ROOT}docs/${name}`).size]));
    expect(sizes.size).toBe(KINDS.length);
    expect([...sizes].filter(([, size]) => size >= 60_000)).toEqual([]);
    expect([...sizes.values()].reduce((sum, size) => sum + size)).toBeLessThan(700_000);
  });

  test("has every shape that a comment of the contract names, and no other", () => {
    const comments = readFiles("proto/svc/studio/ott/page_component", ".proto")
      .map((it) => it.text.replaceAll(/\n\s*\/\/ ?/g, " "))
      .join("\n");
    const named = Array.from(comments.matchAll(/(\w+) \(docs\/components\.md\)/g), ([, it]) => it);
    const kinds = KINDS.map(({ name }) => name);
    const shapes = [...SECTIONS.keys()].filter((it) => !kinds.includes(it));
    expect(shapes.toSorted()).toEqual([...new Set(named)].sort());
    expect(shapes).toHaveLength(22);
  });
});
