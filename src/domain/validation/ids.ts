import { invalidField } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";

/** The form of an id chosen by a caller. */
const CHOSEN = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/;

/**
 * Returns the id of a new resource: the caller's choice, or a generated one if that is empty.
 * INVALID_ARGUMENT `ID_INVALID` for a choice that is not 1 to 64 characters of a-z, A-Z, 0-9, `.`, `_`,
 * `~` and `-`, the first a letter or digit.
 */
export function chooseId(chosen: string, field: string, generate: () => string): string {
  if (chosen === "") return generate();
  if (CHOSEN.test(chosen)) return chosen;
  throw invalidField(
    field,
    "ID_INVALID",
    `'${clip(chosen)}' must be 1 to 64 characters of a-z, A-Z, 0-9, '.', '_', '~' and '-', beginning with a letter or digit`,
  );
}
