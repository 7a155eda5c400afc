import {
  clone,
  type DescField,
  type DescMessage,
  type DescMethod,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import {
  type FieldMask,
  FieldMaskSchema,
  MethodOptions_IdempotencyLevel,
} from "@bufbuild/protobuf/wkt";
import { isReadOnly } from "../../domain/access/roles.ts";
import { isStudioService, perDescriptor, readField } from "../../domain/base/descriptors.ts";
import { checkField, sentAsBoth } from "../../domain/base/field-errors.ts";
import { toSnakeCase } from "../../domain/base/text.ts";
import { readAccessRule } from "./access-rule.ts";
import type { RequestHeaders } from "./incoming-call.ts";

/** The fields that an update names: an `update_mask`, or the text of a `fields_mask`. */
export type UpdateMask = FieldMask | string;

/** Reads the mask of a request; undefined if it has none. INVALID_ARGUMENT `ONEOF_CONFLICT` for two masks. */
export function readUpdateMask(request: DescMessage, message: Message): UpdateMask | undefined {
  const { updateMask, fieldsMask } = findMasks(request);
  const mask = updateMask && (readField(message, updateMask) as FieldMask | undefined);
  const text = fieldsMask === undefined ? "" : String(readField(message, fieldsMask));
  if (text === "") return mask;
  if (mask !== undefined && mask.paths.length > 0) throw sentAsBoth("update_mask", "fields_mask");
  return text;
}

/** Lists the paths of a mask that is not checked, their first names in snake_case. */
export function listMaskPaths(mask: UpdateMask): readonly string[] {
  if (typeof mask !== "string") return mask.paths;
  return mask.split(",").map((path) => {
    const [first = "", ...keys] = path.trim().split(".");
    return [toSnakeCase(first), ...keys].join(".");
  });
}

/** Finds the fields of a request that are masks. An update mask is found by its type: it may have any name. */
const findMasks = perDescriptor(({ fields }: DescMessage) => ({
  updateMask: fields.find(({ message }) => message === FieldMaskSchema),
  fieldsMask: fields.find(({ name }) => name === "fields_mask"),
}));

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

/** The fields of a request that reads a resource through a release, or writes it into one. */
export interface ReleaseFields {
  readonly releaseId: string;
  /** True to delete a resource although others refer to it. */
  readonly isForced: boolean;
  /** The paths of the resource that the request writes; absent: it writes all of it. */
  readonly writtenPaths?: readonly string[];
}

/** The header of reads of the Delivery API that names releases. */
export const PREVIEW_HEADER = "x-release-id";

/**
 * Checks that a request of the Studio API does not name a release by the header of the Delivery API, because it would
 * read or write the current version. INVALID_ARGUMENT `VALUE_INVALID`.
 */
export function checkReleaseHeader(headers: RequestHeaders): void {
  const description = "must be omitted in the Studio API; name the release in release_id";
  checkField(headers[PREVIEW_HEADER] === undefined, PREVIEW_HEADER, "VALUE_INVALID", description);
}

/** Reads the fields of a request that name a release; undefined if it names none, or is about the release itself. */
export function readReleaseFields(method: DescMethod, message: Message): ReleaseFields | undefined {
  return findReleaseFields(method)?.(message);
}

const findReleaseFields = perDescriptor((method: DescMethod) => {
  const { fields } = method.input;
  const releaseId = fields.find(({ name }) => name === "release_id");
  const rule = readAccessRule(method);
  const isOfRelease = rule.case === "permission" && rule.value.name.startsWith("cms.releases.");
  if (releaseId === undefined || isOfRelease) return undefined;
  const force = fields.find(({ name }) => name === "force");
  return (message: Message): ReleaseFields | undefined => {
    const id = readField(message, releaseId);
    if (typeof id !== "string" || id === "") return undefined;
    const mask = readUpdateMask(method.input, message);
    return {
      releaseId: id,
      isForced: force !== undefined && readField(message, force) === true,
      ...(mask !== undefined && { writtenPaths: listMaskPaths(mask) }),
    };
  };
});
