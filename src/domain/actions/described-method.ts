import {
  createFileRegistry,
  type DescMethodUnary,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { isFreeJson } from "../base/descriptors.ts";
import { Code, DomainError, type Reason } from "../base/errors.ts";
import { clip } from "../base/text.ts";
import { readOwnPath } from "../kql/index.ts";
import { parseTextTemplate, type TextTemplate } from "../variables/text-template.ts";
import type { RunRoom } from "./run-room.ts";

type Room = Pick<RunRoom, "takeCharacters">;

/** An RPC method known only from a descriptor set. */
export interface DescribedMethod {
  /**
   * Checks a request template. Strings may contain variables `{annotation.<field>…}` and `{settings.<name>…}`, either
   * as the whole value of any field or inside a string field. INVALID_ARGUMENT:
   * - `REQUEST_NOT_ACCEPTED`: the template does not match the method's input, or names another variable.
   * - `VARIABLE_MALFORMED`: a variable is malformed.
   */
  checkTemplate(template: JsonObject): void;
  /**
   * Fills a template and returns the request as ProtoJSON of the method's input. A string that is exactly one
   * variable is replaced by its value, or omitted without one. Inside other text a variable without a value is empty.
   * Each value takes its characters from the room. INVALID_ARGUMENT `REQUEST_NOT_ACCEPTED` if that is too small, or if the
   * result does not match the method's input.
   */
  fillTemplate(template: JsonObject, values: JsonObject, room: Room): JsonObject;
}

/**
 * Reads a method from a binary `google.protobuf.FileDescriptorSet`; `method` is
 * `<package>.<Service>/<Method>`. INVALID_ARGUMENT `METHOD_NOT_DESCRIBED` unless the set describes a unary
 * method of that name.
 */
export function readDescribedMethod(method: string, descriptorSet: Uint8Array): DescribedMethod {
  const registry = readRegistry(descriptorSet);
  const { input } = findMethod(registry, method);
  const accept = (json: JsonObject) => {
    try {
      return fromJson(input, json, { registry });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw rejection("REQUEST_NOT_ACCEPTED", `must be a valid ${input.typeName}: ${why}`);
    }
  };
  return {
    checkTemplate(template) {
      accept(mapTexts(template, toExample) as JsonObject);
    },
    fillTemplate(template, values, room) {
      const read = readWithin(values, room);
      const filled = mapTexts(template, (text) => fill(text, read)) as JsonObject;
      return toJson(input, accept(filled), { registry }) as JsonObject;
    },
  };
}

function readRegistry(descriptorSet: Uint8Array): FileRegistry {
  try {
    return createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));
  } catch (cause) {
    const message = "descriptor_set must be a FileDescriptorSet that includes all imports";
    throw rejection("METHOD_NOT_DESCRIBED", message, cause);
  }
}

function findMethod(registry: FileRegistry, name: string): DescMethodUnary {
  const [, service = "", method = ""] = /^([\w.]+)\/(\w+)$/.exec(name) ?? [];
  const found = registry.getService(service)?.methods.find((it) => it.name === method);
  if (found === undefined) {
    throw rejection("METHOD_NOT_DESCRIBED", `descriptor_set has no method '${clip(name)}'`);
  }
  if (found.methodKind !== "unary") {
    throw rejection("METHOD_NOT_DESCRIBED", "must be a unary method");
  }
  return found as DescMethodUnary;
}

/** Replaces each string by the result of `map`; undefined omits it. */
function mapTexts(
  value: JsonValue,
  map: (text: string) => JsonValue | undefined,
): JsonValue | undefined {
  if (typeof value === "string") return map(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.flatMap((it) => {
      const mapped = mapTexts(it, map);
      const isLeftOut = mapped === undefined || (mapped === null && it !== null);
      return isLeftOut ? [] : [mapped];
    });
  }
  const members = Object.entries(value)
    .map(([name, it]) => [name, mapTexts(it, map)] as const)
    .filter(([, it]) => it !== undefined);
  return Object.fromEntries(members) as JsonObject;
}

/** Replaces a whole-value variable by null, which every field accepts as unset. */
function toExample(text: string): JsonValue {
  const template = parseTextTemplate(text);
  for (const part of template) {
    if (part.kind === "variable" && !isKnown(part.path)) {
      throw rejection(
        "REQUEST_NOT_ACCEPTED",
        `unknown variable {${clip(part.path)}}; use {annotation.<field>} or {settings.<name>}`,
      );
    }
  }
  return isWholeVariable(template) ? null : print(template, () => "");
}

function isKnown(path: string): boolean {
  const [root, name, ...further] = path.split(".");
  if (root === "settings") return name !== undefined;
  const field = AnnotationSchema.fields.find((it) => it.name === name);
  return (
    root === "annotation" && field !== undefined && (further.length === 0 || isFreeJson(field))
  );
}

/** Reads the value of a variable by its path. */
type ReadValue = (path: string) => JsonValue | undefined;

/** The characters that a value from a list takes for each character of its field. */
const LIST_WEIGHT = 4;

/** Reads values, each once, and takes the room for them each time: a template may name each very often. */
function readWithin(values: JsonObject, room: Room): ReadValue {
  const reads = new Map<string, { readonly value: JsonValue | undefined; readonly size: number }>();
  const read = (path: string) => {
    const value = readValue(values, path);
    if (!Array.isArray(value)) return { value, size: JSON.stringify(value ?? "").length };
    // A path through a list reads all of its items, and the items of the lists in it.
    const [root = "", name = ""] = path.split(".");
    const field = readValue(values, `${root}.${name}`) ?? "";
    return { value, size: LIST_WEIGHT * JSON.stringify(field).length };
  };
  return (path) => {
    const known = reads.get(path) ?? read(path);
    reads.set(path, known);
    room.takeCharacters(known.size);
    return known.value;
  };
}

function fill(text: string, read: ReadValue): JsonValue | undefined {
  const template = parseTextTemplate(text);
  const [first] = template;
  if (first?.kind === "variable" && isWholeVariable(template)) return read(first.path);
  return print(template, (path) => {
    const value = read(path);
    return typeof value === "object" || value === undefined ? "" : String(value);
  });
}

function isWholeVariable([first, ...others]: TextTemplate): boolean {
  return first?.kind === "variable" && others.length === 0;
}

function print(template: TextTemplate, readText: (path: string) => string): string {
  return template.map((it) => (it.kind === "literal" ? it.text : readText(it.path))).join("");
}

function readValue(values: JsonObject, path: string): JsonValue | undefined {
  const value = readOwnPath(values, path) as JsonValue | undefined;
  return value === null || value === "" ? undefined : value;
}

function rejection(reason: Reason, message: string, cause?: unknown): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, reason, message, { cause });
}
