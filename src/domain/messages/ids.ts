import { invalidField } from "../errors.ts";

/** The form of an id that a caller may choose. */
const CHOSEN = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/;

/**
 * Decides the id of something new: the one that the caller chose, or a made one. INVALID_ARGUMENT
 * `ID_INVALID` for a choice that is not 1 to 64 characters of a-z, A-Z, 0-9, `.`, `_`, `~` and `-` with a
 * letter or digit first.
 */
export function chooseId(chosen: string, field: string, make: () => string): string {
  if (chosen === "") return make();
  if (CHOSEN.test(chosen)) return chosen;
  throw invalidField(
    field,
    "ID_INVALID",
    "it is 1 to 64 characters of a-z, A-Z, 0-9, '.', '_', '~' and '-', a letter or digit first",
  );
}
