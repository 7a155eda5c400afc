import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ENUMS, MESSAGES } from "./descriptors.ts";

describe("enumerations", () => {
  for (const type of ENUMS) {
    test(`${type.typeName} begins with its _UNSPECIFIED zero, all names with its own`, () => {
      const prefix = toScreamingSnake(type.name);
      const [first] = type.values;
      expect([first?.name, first?.number]).toEqual([`${prefix}_UNSPECIFIED`, 0]);
      for (const { name } of type.values) expect(name.startsWith(`${prefix}_`), name).toBe(true);
    });
  }
});

describe("names and types that hold everywhere", () => {
  for (const message of MESSAGES) {
    test(message.typeName, () => {
      for (const field of message.fields) {
        expect(field.name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
        const type = printType(field);
        if (field.name.endsWith("_time"))
          expect(type, field.name).toBe("google.protobuf.Timestamp");
        if (field.name.endsWith("_id")) expect(type, field.name).toBe("string");
        if (field.name.endsWith("_ids")) expect(type, field.name).toBe("string[]");
        if (field.name === "update_mask") expect(type).toBe(maskTypeOf(message));
        if (field.name.endsWith("_amount")) expect(type, field.name).toBe("google.type.Money");
        expect(type, `${field.name}: floats are double`).not.toContain("float");
      }
    });
  }
});

/** What was asked for is a mask; the record of it is a list, so that a filter finds one path. */
function maskTypeOf({ name }: DescMessage): string {
  return name.endsWith("Request") ? "google.protobuf.FieldMask" : "string[]";
}

function printType(field: DescField): string {
  if (field.message) return `${field.message.typeName}${field.fieldKind === "list" ? "[]" : ""}`;
  if (field.enum) return field.enum.typeName;
  const scalar = ScalarType[field.scalar ?? ScalarType.BYTES].toLowerCase();
  if (field.fieldKind === "list") return `${scalar}[]`;
  return field.proto.proto3Optional ? `optional ${scalar}` : scalar;
}

function toScreamingSnake(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
