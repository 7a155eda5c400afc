import {
  create,
  type DescField,
  type DescMessage,
  fromJsonString,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { DurationSchema, StructSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";

/** Generates messages of a type: every field set or not, with values that JSON has a word for. */
export function messageOf(schema: DescMessage, depth = 3): fc.Arbitrary<Message> {
  const fields = schema.fields.filter((it) => depth > 0 || it.message === undefined);
  const values = Object.fromEntries(
    fields.map((field) => [field.localName, fc.option(anyOf(field, depth), { freq: 3 })]),
  );
  return fc.record(values).map((chosen) => {
    const message = reflect(schema);
    for (const field of fields) {
      const value = chosen[field.localName];
      if (value !== null && value !== undefined) setField(message, field, value);
    }
    return message.message;
  });
}

function setField(message: ReflectMessage, field: DescField, value: unknown): void {
  if (field.fieldKind === "list") {
    const list = message.get(field);
    for (const item of value as unknown[]) list.add(toReflect(field, item));
  } else if (field.fieldKind === "map") {
    const map = message.get(field);
    for (const [key, item] of value as [string, unknown][]) map.set(key, toReflect(field, item));
  } else {
    message.set(field, toReflect(field, value));
  }
}

function toReflect(field: DescField, value: unknown): unknown {
  return field.message === undefined ? value : reflect(field.message, value as Message);
}

function anyOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  const single = singleOf(field, depth);
  if (field.fieldKind === "list") return fc.array(single, { maxLength: 3 });
  if (field.fieldKind === "map") {
    return fc.uniqueArray(fc.tuple(fc.string(), single), {
      maxLength: 3,
      selector: ([key]) => key,
    });
  }
  return single;
}

function singleOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.enum !== undefined) {
    return fc.constantFrom(...field.enum.values.map(({ number }) => number));
  }
  if (field.message !== undefined) return innerOf(field.message, depth - 1);
  switch (field.scalar) {
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.STRING:
      return fc.string({ unit: "binary" });
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 5 });
    case ScalarType.DOUBLE:
      return fc.double();
    case ScalarType.FLOAT:
      return fc.float();
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return fc.nat();
    default:
      return fc.integer();
  }
}

function innerOf(schema: DescMessage, depth: number): fc.Arbitrary<Message> {
  switch (schema.typeName) {
    case TimestampSchema.typeName:
      return fc
        .record({
          seconds: fc.bigInt({ min: 0n, max: 4_000_000_000n }),
          nanos: fc.nat(999_999_999),
        })
        .map((it) => create(TimestampSchema, it));
    case DurationSchema.typeName:
      return fc
        .record({ seconds: fc.bigInt({ min: 0n, max: 9_999n }), nanos: fc.nat(999) })
        .map((it) => create(DurationSchema, it));
    case StructSchema.typeName:
    case "google.protobuf.Value":
      return fc
        .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))
        .map((it) => fromJsonString(schema, JSON.stringify(it)));
    default:
      return messageOf(schema, depth);
  }
}
