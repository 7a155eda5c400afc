import {
  createFileRegistry,
  type DescField,
  type DescMethodUnary,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, StructSchema } from "@bufbuild/protobuf/wkt";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { Code, DomainError } from "../errors.ts";
import { readOwnPath } from "../kql/index.ts";
import { parseTextTemplate, type TextTemplate } from "../variables/text-template.ts";

/** A method of a service that is known by its description alone. */
export interface DescribedMethod {
  /**
   * Checks a template of requests: a text may hold variables `{annotation.<field>…}` and
   * `{settings.<name>…}`, as the whole value of any field or among other characters in a field that takes
   * text. INVALID_ARGUMENT `REQUEST_NOT_ACCEPTED` for what the method's input does not take and for
   * another variable, `VARIABLE_MALFORMED`.
   */
  checkTemplate(template: JsonObject): void;
  /**
   * Makes a request of a template, in the method's own JSON form. A text that is a variable as a whole
   * becomes its value, or is left out without one; among other characters a variable without a value is
   * empty. INVALID_ARGUMENT `REQUEST_NOT_ACCEPTED` if the method's input does not take what came of it.
   */
  fillTemplate(template: JsonObject, values: JsonObject): JsonObject;
}

/**
 * Reads what describes a method: `method` is `<package>.<Service>/<Method>`, the description a
 * `google.protobuf.FileDescriptorSet` in binary form. INVALID_ARGUMENT `METHOD_NOT_DESCRIBED` unless it
 * describes a unary method of that name.
 */
export function readDescribedMethod(method: string, descriptorSet: Uint8Array): DescribedMethod {
  const registry = readRegistry(descriptorSet);
  const { input } = findMethod(registry, method);
  const accept = (json: JsonObject) => {
    try {
      return fromJson(input, json, { registry });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw refuse("REQUEST_NOT_ACCEPTED", `${input.typeName} does not take the request: ${why}`);
    }
  };
  return {
    checkTemplate(template) {
      accept(mapTexts(template, toExample) as JsonObject);
    },
    fillTemplate(template, values) {
      const filled = mapTexts(template, (text) => fill(text, values)) as JsonObject;
      return toJson(input, accept(filled), { registry }) as JsonObject;
    },
  };
}

function readRegistry(descriptorSet: Uint8Array): FileRegistry {
  try {
    return createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));
  } catch (cause) {
    const message = "descriptor_set is no whole FileDescriptorSet with all imports";
    throw refuse("METHOD_NOT_DESCRIBED", message, cause);
  }
}

function findMethod(registry: FileRegistry, name: string): DescMethodUnary {
  const [, service = "", method = ""] = /^([\w.]+)\/(\w+)$/.exec(name) ?? [];
  const found = registry.getService(service)?.methods.find((it) => it.name === method);
  if (found === undefined) {
    throw refuse("METHOD_NOT_DESCRIBED", "descriptor_set describes no method of this name");
  }
  if (found.methodKind !== "unary") {
    throw refuse("METHOD_NOT_DESCRIBED", "the method is not unary");
  }
  return found as DescMethodUnary;
}

/** Puts what `map` makes of each text in its place; undefined leaves it out. */
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

/** A variable as a whole value stands for any: null is what every field takes as not set. */
function toExample(text: string): JsonValue {
  const template = parseTextTemplate(text);
  for (const part of template) {
    if (part.kind === "variable" && !isKnown(part.path)) {
      throw refuse("REQUEST_NOT_ACCEPTED", `there is no variable {${part.path}}`);
    }
  }
  return isWholeVariable(template) ? null : print(template, () => "");
}

function isKnown(path: string): boolean {
  const [root, name, ...further] = path.split(".");
  if (root === "settings") return name !== undefined;
  const field = AnnotationSchema.fields.find((it) => it.name === name);
  return root === "annotation" && field !== undefined && (further.length === 0 || isObject(field));
}

/** Only a Struct is an object in the JSON of an annotation. */
function isObject({ message }: DescField): boolean {
  return message?.typeName === StructSchema.typeName;
}

function fill(text: string, values: JsonObject): JsonValue | undefined {
  const template = parseTextTemplate(text);
  const [first] = template;
  if (first?.kind === "variable" && isWholeVariable(template)) return readValue(values, first.path);
  return print(template, (path) => {
    const value = readValue(values, path);
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

function refuse(reason: string, message: string, cause?: unknown): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, reason, message, { cause });
}
