import {
  create,
  createFileRegistry,
  type DescFile,
  type DescMethod,
  type MessageInitShape,
  setExtension,
} from "@bufbuild/protobuf";
import {
  FieldOptionsSchema,
  FieldDescriptorProto_Type as FieldType,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  FieldDescriptorProto_Label as Label,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { file_google_api_annotations, http } from "../../../gen/google/api/annotations_pb.ts";
import { type HttpRule, HttpRuleSchema } from "../../../gen/google/api/http_pb.ts";
import { comma_separated } from "../../../gen/svc/options/v1/list_pb.ts";

/** A method to build: its rule, and what makes it a streaming one. */
export interface MethodSpec {
  readonly name: string;
  readonly rule?: MessageInitShape<typeof HttpRuleSchema>;
  readonly streaming?: boolean;
}

const IMPORTS = new Map<string, DescFile>(
  [
    file_google_api_annotations,
    file_google_protobuf_any,
    file_google_protobuf_duration,
    file_google_protobuf_field_mask,
    file_google_protobuf_struct,
    file_google_protobuf_timestamp,
    file_google_protobuf_wrappers,
  ].map((file) => [file.proto.name, file]),
);

/** Builds the methods of `test.Service`, all from `test.Everything`, which has all kinds of fields. */
export function buildMethods(specs: readonly MethodSpec[]): DescMethod[] {
  const service = {
    name: "Service",
    method: specs.map(({ name, rule, streaming = false }) => {
      const options = create(MethodOptionsSchema);
      if (rule !== undefined) {
        setExtension(options, http, create(HttpRuleSchema, rule) as HttpRule);
      }
      const type = ".test.Everything";
      return { name, inputType: type, outputType: type, serverStreaming: streaming, options };
    }),
  };
  const file = create(FileDescriptorProtoSchema, {
    name: "test.proto",
    package: "test",
    syntax: "proto3",
    dependency: [...IMPORTS.keys()],
    messageType: [
      everything(),
      {
        name: "Inner",
        field: [field("name", 1, FieldType.STRING), field("count", 2, FieldType.INT32)],
      },
    ],
    enumType: [
      {
        name: "Colour",
        value: [
          { name: "COLOUR_UNSPECIFIED", number: 0 },
          { name: "COLOUR_RED", number: 1 },
        ],
      },
    ],
    service: [service],
  });
  const registry = createFileRegistry(file, (name) => IMPORTS.get(name));
  const built = registry.getService("test.Service");
  if (built === undefined) {
    throw new Error("test.Service was not built");
  }
  return [...built.methods];
}

type Field = ReturnType<typeof field>;

function field(name: string, number: number, type: FieldType, typeName = "") {
  const options = create(FieldOptionsSchema);
  const jsonName = name.replace(/_[a-z]/g, (match) => match.charAt(1).toUpperCase());
  return { name, jsonName, number, type, typeName, label: Label.OPTIONAL, options };
}

function repeated<T extends Field>(one: T) {
  return { ...one, label: Label.REPEATED };
}

function message(name: string, number: number, typeName: string) {
  return field(name, number, FieldType.MESSAGE, typeName);
}

function mapEntry(name: string, key: FieldType, value: FieldType, valueName = "") {
  return {
    name,
    field: [field("key", 1, key), field("value", 2, value, valueName)],
    options: { mapEntry: true },
  };
}

function everything() {
  const tags = repeated(field("tags", 19, FieldType.STRING));
  setExtension(tags.options, comma_separated, true);
  const wkt = ".google.protobuf.";
  return {
    name: "Everything",
    field: [
      field("text", 1, FieldType.STRING),
      field("flag", 2, FieldType.BOOL),
      field("raw", 3, FieldType.BYTES),
      field("ratio", 4, FieldType.DOUBLE),
      field("small_ratio", 5, FieldType.FLOAT),
      field("int", 6, FieldType.INT32),
      field("uint", 7, FieldType.UINT32),
      field("long", 8, FieldType.INT64),
      field("ulong", 9, FieldType.UINT64),
      field("colour", 10, FieldType.ENUM, ".test.Colour"),
      message("inner", 11, ".test.Inner"),
      message("self", 12, ".test.Everything"),
      message("time", 13, `${wkt}Timestamp`),
      message("length", 14, `${wkt}Duration`),
      message("mask", 15, `${wkt}FieldMask`),
      message("free", 16, `${wkt}Struct`),
      message("value", 17, `${wkt}Value`),
      message("list", 18, `${wkt}ListValue`),
      tags,
      repeated(field("ints", 20, FieldType.INT32)),
      repeated(message("inners", 21, ".test.Inner")),
      repeated(message("values", 22, `${wkt}Value`)),
      repeated(message("masks", 23, `${wkt}FieldMask`)),
      repeated(message("by_name", 24, ".test.Everything.ByNameEntry")),
      repeated(message("by_long", 25, ".test.Everything.ByLongEntry")),
      repeated(message("by_flag", 26, ".test.Everything.ByFlagEntry")),
      message("maybe", 27, `${wkt}BoolValue`),
      message("maybe_long", 28, `${wkt}Int64Value`),
      message("any", 29, `${wkt}Any`),
      field("nothing", 30, FieldType.ENUM, `${wkt}NullValue`),
      repeated(message("frees", 31, `${wkt}Struct`)),
      repeated(field("colours", 32, FieldType.ENUM, ".test.Colour")),
      { ...field("choice_text", 40, FieldType.STRING), oneofIndex: 0 },
      { ...field("choice_flag", 41, FieldType.BOOL), oneofIndex: 0 },
      { ...message("choice_inner", 42, ".test.Inner"), oneofIndex: 0 },
      { ...message("choice_value", 43, `${wkt}Value`), oneofIndex: 0 },
      { ...field("tristate", 50, FieldType.BOOL), oneofIndex: 1, proto3Optional: true },
    ],
    nestedType: [
      mapEntry("ByNameEntry", FieldType.STRING, FieldType.MESSAGE, ".test.Inner"),
      mapEntry("ByLongEntry", FieldType.INT64, FieldType.STRING),
      mapEntry("ByFlagEntry", FieldType.BOOL, FieldType.STRING),
    ],
    oneofDecl: [{ name: "choice" }, { name: "_tristate" }],
  };
}
