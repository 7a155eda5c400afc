import { invalidField } from "../errors.ts";

/**
 * Checks a list of ids of other resources, which need not exist and may be there twice. INVALID_ARGUMENT
 * `IDS_INVALID` for one that is blank.
 */
export function checkIdList(ids: readonly string[], path: string): void {
  const blank = ids.findIndex((id) => id.trim() === "");
  if (blank >= 0) throw invalidField(`${path}[${blank}]`, "IDS_INVALID", "it is blank");
}
