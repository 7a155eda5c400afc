/**
 * Writes types of the client into `gen/` or the folder that is named, as part of `npm run generate`: the names of enums, and
 * the shapes of fields that accept any JSON.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DescEnum } from "@bufbuild/protobuf";
import { loadSchema, type Schema } from "./openapi/load-schema.ts";
import shapes from "./openapi/shapes.json" with { type: "json" };

/** A part of a JSON schema, as the shapes use it. */
interface Shape {
  readonly description?: string;
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape;
  readonly items?: Shape;
}

/** Writes a type with the names of each enum, and an interface with the fields of every message that are enums. */
function toEnumNames({ registry }: Schema): string {
  const enums = new Map<string, DescEnum>();
  const members = [...registry].flatMap((message) => {
    if (message.kind !== "message" || !message.typeName.startsWith("svc.")) return [];
    const fields = message.fields.flatMap(({ localName, enum: desc }) => {
      if (desc === undefined) return [];
      enums.set(desc.name, desc);
      return [`    ${localName}: ${desc.name}Name;\n`];
    });
    return fields.length === 0 ? [] : [`  "${message.typeName}": {\n${fields.join("")}  };\n`];
  });
  const types = [...enums.values()].map(({ name, typeName, values }) => {
    const names = values.map((it) => `\n  | "${it.name}"`).join("");
    return `/** The name of a value of the enum ${typeName}. */\nexport type ${name}Name =${names};\n`;
  });
  const table =
    "/** The names of the values of fields that are enums, by the name of the message. */";
  return [
    "// Generated from proto/ by tools/client-types.ts.\n",
    ...types.sort(),
    `${table}\nexport interface EnumNames {\n${members.sort().join("")}}\n`,
  ].join("\n");
}

/** Writes a type for each shape. TypeScript would not accept an interface as JSON. */
function toShapes(): string {
  const types = Object.entries<Shape>(shapes).map(([name, shape]) => {
    const properties = Object.entries(shape.properties ?? {}).map(
      ([key, it]) => `  /** ${it.description} */\n  readonly ${key}?: ${toType(it)};\n`,
    );
    const type = shape.$ref === undefined ? `{\n${properties.join("")}}` : toType(shape);
    return `/** ${shape.description} */\nexport type ${name} = ${type};\n`;
  });
  return [
    "// Generated from tools/openapi/shapes.json by tools/client-types.ts.\n",
    'import type { JsonValue } from "@bufbuild/protobuf";\n',
    ...types,
  ].join("\n");
}

function toType({ $ref, type, additionalProperties, items }: Shape): string {
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
  switch (type) {
    case "integer":
      return "number";
    case "array":
      return `readonly ${toType(items ?? {})}[]`;
    case "object":
      return `{ readonly [key: string]: ${toType(additionalProperties ?? {})} }`;
    default:
      return type ?? "JsonValue";
  }
}

const [folder = "gen"] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "enum-names.ts"), toEnumNames(await loadSchema()));
writeFileSync(join(folder, "shapes.ts"), toShapes());
