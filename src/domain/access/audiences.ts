import { invalidField } from "../errors.ts";

/**
 * Checks the audiences of a sign-in integration: at least one, none blank, no duplicates (CONTRACT
 * 4.4). INVALID_ARGUMENT `AUDIENCES_INVALID`.
 */
export function checkAudiences(audiences: readonly string[]): void {
  const fault = findFault(audiences);
  if (fault !== undefined) throw invalidField("audiences", "AUDIENCES_INVALID", fault);
}

function findFault(audiences: readonly string[]): string | undefined {
  if (audiences.length === 0) return "at least one is needed";
  if (audiences.some((it) => it.trim() === "")) return "none may be blank";
  const seen = new Set<string>();
  const duplicate = audiences.find((it) => seen.size === seen.add(it).size);
  return duplicate === undefined ? undefined : `'${duplicate}' is there twice`;
}
