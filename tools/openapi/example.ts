import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import examples from "./examples.json" with { type: "json" };
import type { Json } from "./load-schema.ts";
import { nameOf, type Spelling } from "./message-schemas.ts";

/** Returns the example of a request in a spelling; empty for a method that is not recorded yet. */
export function exampleOf({ parent, name, input }: DescMethod, spelling: Spelling): Json {
  const recorded: Readonly<Record<string, Json>> = examples;
  const example = recorded[`${parent.typeName}/${name}`] ?? {};
  return spelling === "camelCase" ? example : (respell(input, example) as Json);
}

/** Returns the value in an example at a path of fields, in snake_case; undefined if there is none. */
export function valueIn(example: Json, fields: readonly DescField[]): unknown {
  return fields.reduce<unknown>((value, { name }) => (value as Json | undefined)?.[name], example);
}

/** Spells the names of fields in snake_case, at all levels, and in masks. */
function respell(message: DescMessage, json: unknown): unknown {
  if (message.typeName === "google.protobuf.FieldMask") {
    return String(json).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
  if (message.typeName.startsWith("google.protobuf.")) return json;
  return Object.fromEntries(
    Object.entries(json as Json).map(([name, value]) => {
      const field = message.fields.find((it) => it.jsonName === name);
      if (field === undefined) throw new Error(`${message.typeName} has no field ${name}`);
      return [nameOf(field, "snake_case"), respellValue(field, value)];
    }),
  );
}

function respellValue({ fieldKind, message }: DescField, value: unknown): unknown {
  if (message === undefined) return value;
  if (fieldKind === "list") return (value as unknown[]).map((it) => respell(message, it));
  if (fieldKind === "message") return respell(message, value);
  const entries = Object.entries(value as Json);
  return Object.fromEntries(entries.map(([key, it]) => [key, respell(message, it)]));
}
