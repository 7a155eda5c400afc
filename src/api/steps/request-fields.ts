import {
  clearField,
  clone,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  type FieldMask,
  FieldMaskSchema,
  MethodOptions_IdempotencyLevel,
} from "@bufbuild/protobuf/wkt";
import { type Access, access as accessOption } from "../../../gen/svc/options/v1/access_pb.ts";
import { INSTALLATION } from "../../domain/access/permissions.ts";
import { isReadOnly } from "../../domain/access/roles.ts";
import {
  isStudioService,
  perDescriptor,
  readField,
  readPath,
} from "../../domain/base/descriptors.ts";
import { checkField, sentAsBoth } from "../../domain/base/field-errors.ts";
import { toSnakeCase } from "../../domain/base/text.ts";
import { PERMISSIONS } from "../../domain/kinds.ts";
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

/** The rule of a method's access option, which defines who may call it. */
type AccessRule = Exclude<Access["rule"], { case: undefined }>;

/** Reads the ids of the resources that a request names, as sent. */
type ReadIds = (message: Message) => string[];

/**
 * Reads the access option of a method, once for all calls. Throws with the method's name if there is none, or if no
 * role can include its permission. Throws, too, if its resource field is neither a string nor repeated strings of the
 * request.
 */
export function readAccessRule(method: DescMethod): AccessRule {
  return compile(method).rule;
}

/** Reads the ids of the resources that a method's permission is checked on; none if the field is not set. */
export function readResourceIds(method: DescMethod, message: Message): string[] {
  return compile(method).readIds(message);
}

const compile = perDescriptor((method: DescMethod) => {
  const name = `${method.parent.typeName}/${method.name}`;
  const { rule } = getOption(method, accessOption);
  if (rule.case === undefined) throw new Error(`${name} has no access option`);
  return { rule, readIds: compileIds(rule, method.input, name) };
});

function compileIds(rule: AccessRule, input: DescMessage, method: string): ReadIds {
  if (rule.case !== "permission") return () => [];
  const { name, resourceType, resourceField } = rule.value;
  if (!PERMISSIONS.has(name))
    throw new Error(`${method} asks for the unknown permission '${name}'`);
  if (resourceType === INSTALLATION.kind) return () => [INSTALLATION.id];
  return compileStrings(input, resourceField, method);
}

/** Compiles a path of field names, such as `video_protection_ruleset.project_id`, to a reader. */
function compileStrings(root: DescMessage, path: string, method: string): ReadIds {
  const error = () => new Error(`${method} has no string field '${path}'`);
  const fields: DescField[] = [];
  let desc: DescMessage | undefined = root;
  for (const name of path.split(".")) {
    const field: DescField | undefined = desc?.fields.find((it) => it.name === name);
    if (field === undefined) throw error();
    fields.push(field);
    desc = field.fieldKind === "message" ? field.message : undefined;
  }
  const last = fields.at(-1);
  if (last?.fieldKind === "map" || last?.scalar !== ScalarType.STRING) throw error();
  return (message) => {
    const ids = readPath(message, fields) as string | readonly string[] | undefined;
    return typeof ids === "string" ? [ids] : [...(ids ?? [])];
  };
}

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
interface WriteFieldReader {
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
      // An update that replaces the whole resource has no mask.
      const mask = readUpdateMask(input, message);
      return {
        validateOnly: readField(message, validateOnly) === true,
        requestId: requestId === undefined ? "" : String(readField(message, requestId)),
        updatedFields: mask === undefined ? [] : listMaskPaths(mask),
      };
    },
    toPayload(message) {
      const copy = clone(input, message);
      clearField(copy, validateOnly);
      if (requestId !== undefined) clearField(copy, requestId);
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
