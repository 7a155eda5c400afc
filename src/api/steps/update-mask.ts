import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type FieldMask, FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { perDescriptor, readField } from "../../domain/base/descriptors.ts";
import { sentAsBoth } from "../../domain/base/field-errors.ts";
import { toSnakeCase } from "../../domain/base/text.ts";

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
