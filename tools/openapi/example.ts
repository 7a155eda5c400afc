import type { DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import samples from "../../demo/samples.json" with { type: "json" };
import examples from "./examples.json" with { type: "json" };
import type { Json } from "./load-schema.ts";
import { nameOf, type Spelling } from "./message-schemas.ts";

/** A resource of a kind, for examples and tests. */
export interface Sample {
  /** Its id in the examples. A test creates a resource `sample-…` that the demo does not have. */
  readonly id: string;
  /** The resource in protobuf JSON with lowerCamelCase names, without its id. */
  readonly resource: Json;
  /** The fields of a request that creates it besides the resource and its id. */
  readonly extra?: Json;
  /** A field with another value; absent where nothing can be changed. */
  readonly change?: Json;
}

/** Returns the sample of the kind that a service is about. */
export function sampleOf({ typeName }: DescService): Sample | undefined {
  const all: Readonly<Record<string, Sample>> = samples;
  return all[typeName.split(".")[3] ?? ""];
}

/** Returns the example of a request in a spelling; empty for a method without one. */
export function exampleOf(method: DescMethod, spelling: Spelling): Json {
  const example = findExample(method) ?? {};
  return spelling === "camelCase" ? example : (respell(method.input, example) as Json);
}

/** Finds the example of a request: a recorded one, or for a standard method one about the sample of its kind. */
export function findExample(method: DescMethod): Json | undefined {
  const recorded: Readonly<Record<string, Json>> = examples;
  return recorded[`${method.parent.typeName}/${method.name}`] ?? describeSample(method);
}

/** Describes a request of a standard method about a sample. */
function describeSample({ parent, name, input }: DescMethod): Json | undefined {
  const sample = sampleOf(parent);
  if (sample === undefined) return undefined;
  const { id, resource, extra, change = {} } = sample;
  const [first = "", second = ""] = input.fields.map(({ jsonName }) => jsonName);
  if (name.startsWith("List")) {
    if (first === "pageSize") return { pageSize: 2 };
    return first in resource ? { [first]: resource[first], pageSize: 2 } : undefined;
  }
  const noun = parent.name.replace(/Service$/, "");
  switch (name) {
    case `Create${noun}`:
      return { [first]: resource, ...extra };
    case `Get${noun}`:
      return { [first]: id };
    case `Update${noun}`:
      return { [first]: id, [second]: change, updateMask: Object.keys(change).join(",") };
    case `Delete${noun}`:
      return { [first]: `deletable-${parent.typeName.split(".")[3]}` };
    default:
      return undefined;
  }
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
