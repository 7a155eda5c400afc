import { type DescField, type DescMessage, type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  RecordSchema,
  type Record as TransferRecord,
} from "../../../gen/svc/transfer/v1/record_pb.ts";
import { compareCodePoints } from "../../domain/kql/index.ts";

/**
 * Writes a record as one line, without the line end, in a canonical form: fields have proto names and are ordered
 * by number, default values are omitted unless `optional`, and the keys of maps and of free JSON objects are in
 * code point order.
 */
export function printRecord(record: TransferRecord): string {
  return printMessage(RecordSchema, toJson(RecordSchema, record));
}

function printMessage(schema: DescMessage, json: JsonValue): string {
  // Well-known types have their own JSON form; those that are objects are free JSON.
  if (!isObject(json) || schema.typeName.startsWith("google.protobuf.")) return printSorted(json);
  const members = fieldsOf(schema).flatMap(({ name, jsonName, print }) => {
    const value = json[jsonName];
    return value === undefined ? [] : [`"${name}":${print(value)}`];
  });
  return `{${members.join(",")}}`;
}

interface PrintedField {
  readonly name: string;
  readonly jsonName: string;
  readonly print: (json: JsonValue) => string;
}

const FIELDS = new WeakMap<DescMessage, readonly PrintedField[]>();

function fieldsOf(schema: DescMessage): readonly PrintedField[] {
  let fields = FIELDS.get(schema);
  if (fields === undefined) {
    fields = schema.fields
      .toSorted((a, b) => a.number - b.number)
      .map((field) => ({
        name: field.name,
        jsonName: field.jsonName,
        print: (json: JsonValue) => printField(field, json),
      }));
    FIELDS.set(schema, fields);
  }
  return fields;
}

function printField({ fieldKind, message }: DescField, json: JsonValue): string {
  if (message === undefined) return printSorted(json);
  const print = (value: JsonValue) => printMessage(message, value);
  if (fieldKind === "list" && Array.isArray(json)) return `[${json.map(print).join(",")}]`;
  if (fieldKind === "map" && isObject(json)) return printMembers(json, print);
  return print(json);
}

function printSorted(json: JsonValue): string {
  if (Array.isArray(json)) return `[${json.map(printSorted).join(",")}]`;
  if (isObject(json)) return printMembers(json, printSorted);
  // JSON.stringify drops the sign.
  return Object.is(json, -0) ? "-0" : JSON.stringify(json);
}

function printMembers(
  json: { readonly [key: string]: JsonValue },
  print: (value: JsonValue) => string,
): string {
  const members = Object.keys(json)
    .sort(compareCodePoints)
    .map((key) => `${JSON.stringify(key)}:${print(json[key] ?? null)}`);
  return `{${members.join(",")}}`;
}

function isObject(json: JsonValue): json is { [key: string]: JsonValue } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
