import {
  clearField,
  create,
  type DescMessage,
  isFieldSet,
  type MessageShape,
} from "@bufbuild/protobuf";
import { perDescriptor, readField, writeField } from "../base/descriptors.ts";
import { Code, DomainError } from "../base/errors.ts";
import { clip, suggestNames } from "../base/text.ts";
import { isSettable } from "./field-behavior.ts";

/** Distinct names of root-level fields in snake_case, all of them allowed. */
export type CheckedMask = readonly string[] & { readonly checked: true };

/** Lists the names of the fields that an update mask of a message may name. */
export const listUpdatable = perDescriptor((schema: DescMessage): readonly string[] =>
  schema.fields.filter(isSettable).map(({ name }) => name),
);

/**
 * Checks the paths of an update mask against the names that may be changed (contract: studio 4) and removes
 * duplicates. INVALID_ARGUMENT `UPDATE_MASK_INVALID`, which lists the allowed names, for an empty mask,
 * `*`, a dotted path or a name that is not allowed. `isDeep`: the update takes dotted paths in `fields_mask`.
 */
export function checkMask(
  paths: readonly string[],
  allowed: readonly string[],
  { isDeep = false }: { readonly isDeep?: boolean } = {},
): CheckedMask {
  if (paths.length === 0) throw maskError("must name at least one field", allowed);
  for (const path of paths) {
    const error = findError(path, allowed);
    if (error === undefined) continue;
    const [root = ""] = path.split(".");
    const isBelow = isDeep && root !== path && allowed.includes(root);
    throw maskError(isBelow ? `${error}; send it in fields_mask` : error, allowed, path);
  }
  return Object.assign([...new Set(paths)], { checked: true as const });
}

/**
 * Returns a message with the masked fields of `update` and the others of `current`, whose values it shares; a field
 * that is unset in `update` is cleared. A member of a oneof replaces the stored member if it is set, and clears only
 * itself otherwise.
 */
export function applyMask<Desc extends DescMessage>(
  schema: Desc,
  current: MessageShape<Desc>,
  update: MessageShape<Desc>,
  mask: CheckedMask,
): MessageShape<Desc> {
  const result = Object.assign(create(schema), current);
  const fields = schema.fields.filter((field) => mask.includes(field.name));
  for (const field of fields) clearField(result, field);
  for (const field of fields) {
    if (isFieldSet(update, field)) writeField(result, field, readField(update, field));
  }
  return result;
}

function findError(path: string, allowed: readonly string[]): string | undefined {
  if (path === "") return "must not have an empty path";
  if (path === "*") return "must name the fields; '*' is not allowed";
  if (path.includes(".")) return `'${clip(path)}' is not a root-level field`;
  return allowed.includes(path) ? undefined : `'${clip(path)}' cannot be updated`;
}

function maskError(error: string, allowed: readonly string[], path = ""): DomainError {
  const last = path.slice(path.lastIndexOf(".") + 1);
  const description = `${error}; allowed fields: ${allowed.join(", ")}${suggestNames(last, allowed)}`;
  return new DomainError(
    Code.INVALID_ARGUMENT,
    "UPDATE_MASK_INVALID",
    `update_mask: ${description}`,
    {
      fields: [{ field: "update_mask", description }],
      metadata: { allowed: allowed.join(",") },
    },
  );
}
