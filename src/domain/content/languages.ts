import { checkField } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";

/** The form of a BCP 47 tag, which an order by `title.<language>` can name. */
const TAG = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/;
const LONGEST = 35;

/**
 * Checks the keys of a map of language to text. INVALID_ARGUMENT `LANGUAGE_INVALID` for one that is not a
 * language tag such as `en` or `pt-BR` of at most 35 characters.
 */
export function checkLanguages(texts: Readonly<Record<string, string>>, path: string): void {
  for (const language of Object.keys(texts)) {
    const isTag = language.length <= LONGEST && TAG.test(language);
    const description = `key '${clip(language)}' must be a language tag such as 'en' or 'pt-BR' of at most ${LONGEST} characters`;
    checkField(isTag, path, "LANGUAGE_INVALID", description);
  }
}
