import { type DescMessage, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  RecordSchema,
  type Record as TransferRecord,
} from "../../gen/svc/transfer/v1/record_pb.ts";
import { compareCodePoints } from "../domain/kql/index.ts";
import { fieldsByName } from "../protojson/read-message.ts";

/**
 * Writes a record as one line, without the line end, in a canonical form. Fields have proto names and are ordered by
 * number; default values are omitted unless `optional`. The keys of maps and of free JSON objects are in code point
 * order.
 */
export function printRecord(record: TransferRecord): string {
  return print(toJson(RecordSchema, record, { useProtoFieldName: true }), RecordSchema);
}

/** Prints the JSON of a message or of a list of messages; without a type, free JSON. */
function print(json: JsonValue, desc?: DescMessage): string {
  if (Array.isArray(json)) return `[${json.map((item) => print(item, desc)).join(",")}]`;
  // JSON.stringify drops the sign.
  if (Object.is(json, -0)) return "-0";
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  // Well-known types that are objects are free JSON.
  if (desc === undefined || desc.typeName.startsWith("google.protobuf.")) return printMap(json);
  const fields = fieldsByName(desc);
  const members = Object.entries(json).map(([name, value]) => {
    const field = fields.get(name);
    const isMap = field?.fieldKind === "map";
    return `"${name}":${isMap ? printMap(value as JsonObject, field.message) : print(value, field?.message)}`;
  });
  return `{${members.join(",")}}`;
}

/** Prints an object whose keys are data; `desc` is the type of its values, if they are messages. */
function printMap(json: JsonObject, desc?: DescMessage): string {
  const members = Object.keys(json)
    .sort(compareCodePoints)
    .map((key) => `${JSON.stringify(key)}:${print(json[key] ?? null, desc)}`);
  return `{${members.join(",")}}`;
}
