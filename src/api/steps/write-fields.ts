import {
  clone,
  type DescField,
  type DescMethod,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { isReadOnly } from "../../domain/access/roles.ts";
import { isStudioService, perDescriptor } from "../../domain/base/descriptors.ts";
import { readAccessRule } from "./access-rule.ts";
import { listMaskPaths, readUpdateMask } from "./update-mask.ts";

/** The fields that all write requests share. */
export interface WriteFields {
  /** True for a dry run: the write is fully checked and not stored. */
  readonly validateOnly: boolean;
  /** Identifies the request, so that repeating it changes nothing; empty: a repetition is executed again. */
  readonly requestId: string;
  /** The paths of an update mask. */
  readonly updatedFields: readonly string[];
}

/** Reads the shared fields of one write method. */
export interface WriteFieldReader {
  read(message: Message): WriteFields;
  /** Copies a request without the fields that control the call. */
  toPayload(message: Message): Message;
}

/**
 * Finds the shared fields of a Studio API method that writes, once for all calls; undefined for a read. Throws with the
 * method's name if a write has no bool `validate_only`, or a Create no string `request_id`.
 */
export const findWriteFields = perDescriptor((method: DescMethod): WriteFieldReader | undefined =>
  isWrite(method) ? createReader(method) : undefined,
);

function isWrite(method: DescMethod): boolean {
  // A check rolls its writes back.
  if (!isStudioService(method.parent) || method.name.startsWith("Check")) return false;
  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return false;
  const rule = readAccessRule(method);
  return rule.case === "permission" && !isReadOnly(rule.value.name);
}

function createReader(method: DescMethod): WriteFieldReader {
  const { input } = method;
  const validateOnly = requireField(method, "validate_only", ScalarType.BOOL);
  const requestId = method.name.startsWith("Create")
    ? requireField(method, "request_id", ScalarType.STRING)
    : undefined;
  return {
    read(message) {
      const fields = reflect(input, message);
      // An update that replaces the whole resource has no mask.
      const mask = readUpdateMask(input, message);
      return {
        validateOnly: fields.get(validateOnly) === true,
        requestId: requestId === undefined ? "" : String(fields.get(requestId)),
        updatedFields: mask === undefined ? [] : listMaskPaths(mask),
      };
    },
    toPayload(message) {
      const copy = clone(input, message);
      const fields = reflect(input, copy);
      fields.clear(validateOnly);
      if (requestId !== undefined) fields.clear(requestId);
      return copy;
    },
  };
}

function requireField(method: DescMethod, name: string, scalar: ScalarType): DescField {
  const field = method.input.fields.find((it) => it.name === name);
  if (field?.fieldKind === "scalar" && field.scalar === scalar) return field;
  const type = ScalarType[scalar].toLowerCase();
  throw new Error(`${method.parent.typeName}/${method.name} writes and has no ${type} '${name}'`);
}
