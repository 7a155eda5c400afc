import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";
import { clone } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { Code, DomainError } from "../errors.ts";

/** Names of root-level fields, in snake_case, each once, all of them allowed. */
export type CheckedMask = readonly string[] & { readonly checked: true };

/**
 * Checks the paths of an update mask against the names that may be changed (CONTRACT 2.4).
 * Duplicates collapse. Throws INVALID_ARGUMENT `UPDATE_MASK_INVALID`, which lists the allowed
 * names, for an empty mask, `*`, a dotted path or a name that is not allowed.
 */
export function checkMask(paths: readonly string[], allowed: readonly string[]): CheckedMask {
  if (paths.length === 0) throw maskError("it names no field", allowed);
  for (const path of paths) {
    const fault = findFault(path, allowed);
    if (fault !== undefined) throw maskError(fault, allowed);
  }
  return Object.assign([...new Set(paths)], { checked: true as const });
}

/**
 * Returns a copy of a message in which the masked fields have the values of `update`; a field that
 * is absent there is cleared. A member of a oneof takes the place of the stored one if it has a value,
 * and clears only itself if it has none.
 */
export function applyMask<Desc extends DescMessage>(
  schema: Desc,
  current: MessageShape<Desc>,
  update: MessageShape<Desc>,
  mask: CheckedMask,
): MessageShape<Desc> {
  const result = clone(schema, current);
  const target = reflect(schema, result);
  const source = reflect(schema, update);
  const fields = schema.fields.filter((field) => mask.includes(field.name));
  for (const field of fields) target.clear(field);
  for (const field of fields) {
    if (source.isSet(field)) target.set(field, source.get(field));
  }
  return result;
}

/** Lists the names of a message's fields that an update may change. */
export function updatableFields(
  schema: DescMessage,
  isUpdatable: (field: DescField) => boolean,
): string[] {
  return schema.fields.filter(isUpdatable).map((field) => field.name);
}

function findFault(path: string, allowed: readonly string[]): string | undefined {
  if (path === "") return "it holds an empty name";
  if (path === "*") return "'*' is not allowed, name the fields";
  if (path.includes(".")) return `'${path}' is not a root-level name`;
  if (!allowed.includes(path)) return `'${path}' is not a field that can be changed`;
  return undefined;
}

function maskError(fault: string, allowed: readonly string[]): DomainError {
  const description = `${fault}; allowed are ${allowed.join(", ")}`;
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
