import { invalidField } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";

/**
 * Checks the audiences of a sign-in integration: at least one, none blank, no duplicates (contract:
 * sign-in 1). INVALID_ARGUMENT `AUDIENCES_INVALID`.
 */
export function checkAudiences(audiences: readonly string[], field: string): void {
  const error = findError(audiences);
  if (error !== undefined) throw invalidField(field, "AUDIENCES_INVALID", error);
}

function findError(audiences: readonly string[]): string | undefined {
  if (audiences.length === 0) return "must have at least one audience";
  if (audiences.some((it) => it.trim() === "")) return "must not have a blank audience";
  const seen = new Set<string>();
  const duplicate = audiences.find((it) => seen.size === seen.add(it).size);
  return duplicate === undefined ? undefined : `must not repeat '${clip(duplicate)}'`;
}
