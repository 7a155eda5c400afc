import type { DescField } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { readMessage, setMember } from "./read-message.ts";
import { readEnum, readScalarText } from "./read-scalar.ts";

/** A field and the message that it belongs to. */
export interface TextTarget {
  readonly parent: ReflectMessage;
  readonly leaf: DescField;
}

/**
 * Follows fields from a message to the parent of the last one, creating missing messages on the way.
 * Throws ONEOF_CONFLICT where one would replace another member of a oneof.
 */
export function openParent(
  root: ReflectMessage,
  fields: readonly [DescField, ...DescField[]],
  path: string,
): TextTarget {
  const [field, next, ...rest] = fields;
  if (next === undefined) {
    return { parent: root, leaf: field };
  }
  if (field.fieldKind !== "message") {
    throw new Error(`${field.toString()} is not a message`);
  }
  if (!root.isSet(field)) {
    setMember(
      root,
      field,
      reflect(field.message, undefined, false),
      fieldPath(path, rest.length + 1),
    );
  }
  return openParent(root.get(field), [next, ...rest], path);
}

/**
 * Reads the value of a field, or of one item of a repeated field, from the text of a path or query:
 * an enum by its name; a Timestamp, Duration or FieldMask as in JSON. Throws as reading JSON does.
 */
export function readTextValue(field: DescField, text: string, path: string): unknown {
  if (field.message !== undefined) {
    if (isWrapperDesc(field.message)) {
      const [value] = field.message.fields;
      const wrapper = reflect(field.message, undefined, false);
      wrapper.set(value, readScalarText(value.scalar, text, path));
      return wrapper;
    }
    return readMessage(field.message, text, path);
  }
  if (field.enum !== undefined) {
    return readEnum(field.enum, text, path);
  }
  return readScalarText(field.scalar, text, path);
}

/** Removes the last `cut` names of a dotted path. */
function fieldPath(path: string, cut: number): string {
  return path.split(".").slice(0, -cut).join(".");
}
