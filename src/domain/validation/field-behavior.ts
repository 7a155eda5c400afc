import {
  type DescField,
  type DescMessage,
  getOption,
  isFieldSet,
  type Message,
} from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { FieldBehavior, field_behavior } from "../../../gen/google/api/field_behavior_pb.ts";
import { perDescriptor, readField } from "../base/descriptors.ts";
import { invalidField } from "../base/field-errors.ts";

/** Lists the behaviors of a field: reading an option parses its binary form, and every request reads them. */
const listBehaviors = perDescriptor((field: DescField) => getOption(field, field_behavior));

/** Reports whether a field has a `google.api.field_behavior`. */
export function hasBehavior(field: DescField, behavior: FieldBehavior): boolean {
  return listBehaviors(field).includes(behavior);
}

/** Reports whether an update may change a field: it is neither OUTPUT_ONLY nor IMMUTABLE. */
export function isSettable(field: DescField): boolean {
  return (
    !hasBehavior(field, FieldBehavior.OUTPUT_ONLY) && !hasBehavior(field, FieldBehavior.IMMUTABLE)
  );
}

/**
 * Checks a request against the `field_behavior` of its fields: REQUIRED fields are set and not empty, OUTPUT_ONLY
 * fields are not sent. Of an update request only the root level is checked, because its mask decides which fields of
 * the resource count. `checkMask` reports a missing mask, with the allowed names. INVALID_ARGUMENT `FIELD_REQUIRED`
 * or `FIELD_OUTPUT_ONLY`.
 */
export function checkFieldBehavior(schema: DescMessage, request: Message): void {
  const isUpdate = schema.fields.some(isFieldMask);
  checkMessage(schema, request, "", !isUpdate);
}

/** Checks a member of an update request that its mask names, at all levels. */
export function checkMemberBehavior(schema: DescMessage, member: Message, path: string): void {
  checkMessage(schema, member, `${path}.`, true);
}

/** Checks that a message to be stored has its REQUIRED fields. INVALID_ARGUMENT `FIELD_REQUIRED`. */
export function checkRequired(schema: DescMessage, value: Message, path: string): void {
  for (const field of schema.fields) {
    if (!isFieldSet(value, field) && hasBehavior(field, FieldBehavior.REQUIRED)) {
      throw invalidField(`${path}.${field.name}`, "FIELD_REQUIRED", "is required");
    }
  }
}

/** Checks a message below `prefix`; `request` is the request whose resource it is. */
function checkMessage(
  schema: DescMessage,
  message: Message,
  prefix: string,
  deep: boolean,
  request?: DescMessage,
): void {
  for (const field of schema.fields) {
    const path = `${prefix}${field.name}`;
    const isSent = isFieldSet(message, field);
    if (!isSent && hasBehavior(field, FieldBehavior.REQUIRED) && !isFieldMask(field)) {
      throw invalidField(path, "FIELD_REQUIRED", "is required");
    }
    if (isSent && hasBehavior(field, FieldBehavior.OUTPUT_ONLY)) {
      throw invalidField(path, "FIELD_OUTPUT_ONLY", describeOutput(field, prefix, request));
    }
    if (deep && isSent && field.fieldKind === "message" && isOwnMessage(field)) {
      const member = readField(message, field) as Message;
      checkMessage(field.message, member, `${path}.`, deep, prefix === "" ? schema : undefined);
    }
  }
}

/** Says what to do with an OUTPUT_ONLY field: some requests have it themselves, such as `event_id` of a create call. */
function describeOutput({ name }: DescField, prefix: string, request?: DescMessage): string {
  const field = name === "id" ? `${prefix.slice(0, -1)}_id` : name;
  if (!request?.fields.some((it) => it.name === field)) return "is set by the service; omit it";
  const isCreate = request.name.startsWith("Create");
  const place = isCreate ? "the query, or over Connect in the request" : "the request";
  return `is not set in the resource; send ${field} in ${place}`;
}

function isFieldMask(field: DescField): boolean {
  return field.fieldKind === "message" && field.message.typeName === FieldMaskSchema.typeName;
}

function isOwnMessage(field: DescField & { fieldKind: "message" }): boolean {
  return !field.message.typeName.startsWith("google.");
}
