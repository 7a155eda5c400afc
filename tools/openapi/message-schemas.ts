import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { FieldBehavior } from "../../gen/google/api/field_behavior_pb.ts";
import { reference } from "../../gen/svc/options/v1/reference_pb.ts";
import { TextKind, TextKindSchema, text as textOption } from "../../gen/svc/options/v1/text_pb.ts";
import { RecordSchema } from "../../gen/svc/transfer/v1/record_pb.ts";
import { hasBehavior } from "../../src/domain/validation/field-behavior.ts";
import type { Json, Schema } from "./load-schema.ts";
import { findShape } from "./shapes.ts";

/** The spelling of field names: snake_case as in the proto files over HTTP/JSON, lowerCamelCase over Connect. */
export type Spelling = "snake_case" | "camelCase";

/** Describes messages as components of an OpenAPI document. */
export interface MessageSchemas {
  /** The components described so far, by name. */
  readonly components: ReadonlyMap<string, Json>;
  /** Returns a reference to a message in a spelling, and describes it and the messages below it. */
  refTo(message: DescMessage, spelling: Spelling): Json;
  /** Describes the value of a field, with its comment. */
  describeField(field: DescField, spelling: Spelling): Json;
}

/** Returns the name of a field in a spelling. */
export function nameOf(field: DescField, spelling: Spelling): string {
  return spelling === "snake_case" ? field.name : field.jsonName;
}

/** Creates empty schemas of messages. */
export function createMessageSchemas({ commentOf }: Schema): MessageSchemas {
  const components = new Map<string, Json>();
  return { components, refTo, describeField };

  /** The caller of a record sets the output-only fields of its resource, such as the id. */
  function refTo(message: DescMessage, spelling: Spelling, isOfRecord = false): Json {
    const known = WELL_KNOWN[message.typeName];
    if (known !== undefined) return known;
    if (isWrapperDesc(message)) return describeScalar(message.fields[0].scalar);
    const form = isOfRecord ? "record." : spelling === "snake_case" ? "" : "connect.";
    const name = form + message.typeName;
    if (!components.has(name)) {
      // A message may contain itself.
      components.set(name, {});
      components.set(name, describeMessage(message, spelling, isOfRecord));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function describeMessage(message: DescMessage, spelling: Spelling, isOfRecord: boolean): Json {
    const isReadOnly = (field: DescField) =>
      !isOfRecord && hasBehavior(field, FieldBehavior.OUTPUT_ONLY);
    return {
      type: "object",
      ...describe(commentOf(message.typeName)),
      properties: Object.fromEntries(
        message.fields.map((field) => [
          nameOf(field, spelling),
          { ...describeField(field, spelling), ...(isReadOnly(field) && { readOnly: true }) },
        ]),
      ),
    };
  }

  function describeField(field: DescField, spelling: Spelling): Json {
    const siblings = field.oneof?.fields.filter((it) => it !== field) ?? [];
    const excluded = siblings.map((it) => `\`${nameOf(it, spelling)}\``).join(", ");
    const texts = [
      commentOf(`${field.parent.typeName}.${field.name}`),
      excluded && `Excludes ${excluded}.`,
    ];
    return {
      ...describeValue(field, spelling),
      ...describe(texts.filter((it) => it !== "").join(" ")),
      ...(field.deprecated && { deprecated: true }),
      ...describeOptions(field),
    };
  }

  function describeValue(field: DescField, spelling: Spelling): Json {
    switch (field.fieldKind) {
      case "scalar":
        return describeScalar(field.scalar);
      case "enum":
        return describeEnum(field.enum);
      case "message":
        return describeMember(field, field.message, spelling);
      case "list":
        return { type: "array", items: describeItem(field, spelling) };
      case "map":
        return { type: "object", additionalProperties: describeItem(field, spelling) };
      default:
        return field satisfies never;
    }
  }

  /** A JSON object has the shape that its comment names, or any other: nothing checks it. */
  function describeMember(field: DescField, message: DescMessage, spelling: Spelling): Json {
    const isOfRecord = field.parent.file.proto.package === RecordSchema.file.proto.package;
    const any = refTo(message, spelling, isOfRecord);
    const shape = findShape(commentOf(`${field.parent.typeName}.${field.name}`));
    return shape === undefined ? any : { anyOf: [{ $ref: `#/components/schemas/${shape}` }, any] };
  }

  function describeItem(
    field: DescField & { fieldKind: "list" | "map" },
    spelling: Spelling,
  ): Json {
    if (field.message !== undefined) return describeMember(field, field.message, spelling);
    return field.enum === undefined ? describeScalar(field.scalar) : describeEnum(field.enum);
  }

  function describeEnum({ typeName, values }: DescEnum): Json {
    if (!components.has(typeName)) {
      const meanings = values.map(
        ({ name }) => `- \`${name}\`: ${commentOf(`${typeName}.${name}`)}`,
      );
      components.set(typeName, {
        type: "string",
        description: [commentOf(typeName), meanings.join("\n")].filter((it) => it).join("\n\n"),
        enum: values.map(({ name }) => name),
        ...(values.some(({ deprecated }) => deprecated) && {
          "x-deprecated": values.filter((it) => it.deprecated).map(({ name }) => name),
        }),
      });
    }
    return { $ref: `#/components/schemas/${typeName}` };
  }
}

/** Describes what forms draw a field from: its oneof, its kind of text and the kinds of the resources that it names. */
function describeOptions(field: DescField): Json {
  const text = getOption(field, textOption);
  const kinds = getOption(field, reference);
  return {
    ...(field.oneof && { "x-oneof": field.oneof.name }),
    ...(text !== TextKind.UNSPECIFIED && { "x-text": TextKindSchema.value[text]?.localName }),
    ...(kinds.length > 0 && { "x-reference": kinds }),
  };
}

function describe(description: string): Json {
  return description === "" ? {} : { description };
}

/** The JSON of messages that have a form of their own. */
const WELL_KNOWN: Readonly<Record<string, Json>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" },
  "google.protobuf.FieldMask": { type: "string" },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
  "google.protobuf.ListValue": { type: "array", items: {} },
  "google.protobuf.Value": {},
};

function describeScalar(scalar: ScalarType): Json {
  switch (scalar) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { type: "string", format: "int64", pattern: "^-?[0-9]+$" };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: "string", format: "uint64", pattern: "^[0-9]+$" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", format: "uint32", minimum: 0 };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    default:
      return scalar satisfies never;
  }
}
