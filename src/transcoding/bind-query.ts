import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import type { ReflectMessage } from "@bufbuild/protobuf/reflect";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { comma_separated } from "../../gen/svc/options/v1/list_pb.ts";
import { Code, DomainError, invalidField } from "../domain/errors.ts";
import { clip } from "../domain/messages/clip.ts";
import type { Binding } from "./binding.ts";
import { decodePercent } from "./percent.ts";
import { quote } from "./quote.ts";
import { fieldsByName, setMember } from "./read-message.ts";
import { suggest } from "./suggest.ts";
import { openParent, readTextValue } from "./text-value.ts";

/**
 * Sets the fields that neither path nor body carries from the raw query, given without its question
 * mark. Throws QUERY_MALFORMED, QUERY_UNKNOWN, QUERY_DUPLICATE and the faults of reading a value.
 */
export function bindQuery(binding: Binding, rawQuery: string, request: ReflectMessage): void {
  const seen = new Set<string>();
  for (const [name, text] of parseQuery(rawQuery)) {
    const fields = resolveParameter(binding, name);
    const path = fields.map((field) => field.name).join(".");
    const { parent, leaf } = openParent(request, fields, path);
    if (leaf.fieldKind === "list") {
      addItems(parent, leaf, text, path);
    } else if (seen.has(path)) {
      throw invalidField(path, "QUERY_DUPLICATE", "the query parameter is repeated; send it once");
    } else {
      setMember(parent, leaf, readTextValue(leaf, text, path), path);
    }
    seen.add(path);
  }
}

/** Splits a raw query into decoded pairs; a plus sign is a space, and empty pairs are skipped. */
function parseQuery(rawQuery: string): (readonly [name: string, text: string])[] {
  return rawQuery
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      const rawName = equals === -1 ? pair : pair.slice(0, equals);
      const rawText = equals === -1 ? "" : pair.slice(equals + 1);
      return [decodeQuery(rawName, rawName), decodeQuery(rawText, rawName)] as const;
    });
}

function decodeQuery(text: string, rawName: string): string {
  const decoded = decodePercent(text.replaceAll("+", " "));
  if (decoded === undefined) {
    const name = clip(rawName);
    throw new DomainError(
      Code.INVALID_ARGUMENT,
      "QUERY_MALFORMED",
      `the query parameter ${quote(name)} is not percent-encoded UTF-8`,
      { metadata: { parameter: name } },
    );
  }
  return decoded;
}

type Parameter = readonly [DescField, ...DescField[]];

function resolveParameter(binding: Binding, name: string): Parameter {
  const fields: DescField[] = [];
  let desc: DescMessage | undefined = binding.method.input;
  for (const part of name.split(".")) {
    const field: DescField | undefined = desc && fieldsByName(desc).get(part);
    if (field === undefined) {
      throw unknownParameter(binding, name);
    }
    fields.push(field);
    desc = isOpen(field) ? field.message : undefined;
  }
  const [first, ...rest] = fields;
  const leaf = fields.at(-1);
  if (first === undefined || leaf === undefined || !isLeaf(leaf) || isBound(binding, fields)) {
    throw unknownParameter(binding, name);
  }
  return [first, ...rest];
}

/** Reports whether a message field takes one parameter for each of its own fields. */
function isOpen(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && !field.message.typeName.startsWith("google.protobuf.");
}

const TEXT_TYPES: ReadonlySet<string> = new Set([
  "google.protobuf.Duration",
  "google.protobuf.FieldMask",
  "google.protobuf.Timestamp",
]);

/** Reports whether a field holds a value that is written as one text, or a list of such values. */
function isLeaf(field: DescField): boolean {
  switch (field.fieldKind) {
    case "scalar":
    case "enum":
      return true;
    case "list":
      return field.listKind !== "message";
    case "map":
      return false;
    case "message":
      return TEXT_TYPES.has(field.message.typeName) || isWrapperDesc(field.message);
    default:
      return field satisfies never;
  }
}

function isBound({ body, variables }: Binding, fields: readonly DescField[]): boolean {
  const path = pathOf(fields);
  return (
    body.kind === "message" ||
    (body.kind === "field" && body.field === fields[0]) ||
    variables.some((variable) => variable.path === path)
  );
}

function addItems(
  parent: ReflectMessage,
  field: DescField & { fieldKind: "list" },
  text: string,
  path: string,
): void {
  const list = parent.get(field);
  const separated = getOption(field, comma_separated);
  const items = separated ? text.split(",").map((item) => item.trim()) : [text];
  for (const item of items) {
    const itemPath = `${path}[${list.size}]`;
    if (separated && item === "") {
      throw invalidField(itemPath, "VALUE_INVALID", "the item between two commas is empty");
    }
    list.add(readTextValue(field, item, itemPath));
  }
}

function unknownParameter(binding: Binding, name: string): DomainError {
  const parameters = listParameters(binding).map(pathOf);
  const known = parameters.join(", ");
  const description = `no query parameter ${quote(name)}; ${suggest(name, parameters)}`;
  const field = clip(name);
  return new DomainError(Code.INVALID_ARGUMENT, "QUERY_UNKNOWN", description, {
    fields: [{ field, description }],
    metadata: { parameter: field, known },
  });
}

/** Lists the fields that a query may set, each with those above it; a message nested in its own type is left out. */
export function listParameters(binding: Binding): (readonly DescField[])[] {
  return listBelow(binding, binding.method.input, []);
}

function listBelow(
  binding: Binding,
  desc: DescMessage,
  parents: readonly DescField[],
): (readonly DescField[])[] {
  return desc.fields.flatMap((field) => {
    const fields = [...parents, field];
    if (isBound(binding, fields)) {
      return [];
    }
    if (isOpen(field)) {
      const nested = field.message;
      const recursive =
        nested === binding.method.input || parents.some((parent) => parent.message === nested);
      return recursive ? [] : listBelow(binding, nested, fields);
    }
    return isLeaf(field) ? [fields] : [];
  });
}

function pathOf(fields: readonly DescField[]): string {
  return fields.map(({ name }) => name).join(".");
}
