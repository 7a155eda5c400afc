import type { DescMessage, Message } from "@bufbuild/protobuf";
import { readField } from "../base/descriptors.ts";
import { checkField } from "../base/field-errors.ts";
import { clip, quote } from "../base/text.ts";
import type { Warning } from "../base/warnings.ts";

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

/** The names of the fields with a text for each language. */
const TRANSLATED: readonly string[] = ["title", "subtitle", "description"];

let names: Intl.DisplayNames | undefined;

/**
 * Lists warnings about texts in languages that no site probably asks for (`LANGUAGE_UNUSUAL`): an unknown one such as
 * `english`, or a known one in another spelling, such as `EN`. The message is checked.
 */
export function* listLanguageWarnings(
  schema: DescMessage,
  message: Message,
  path: string,
): Generator<Warning> {
  for (const field of schema.fields) {
    const below = `${path}.${field.name}`;
    if (field.fieldKind === "map" && TRANSLATED.includes(field.name)) {
      for (const language of Object.keys(readField(message, field) as object)) {
        const description = describe(language);
        if (description === undefined) continue;
        const fields = [`${below}.${language}`];
        yield { code: "LANGUAGE_UNUSUAL", fields, message: `${fields[0]}: ${description}` };
      }
    } else if (field.fieldKind === "message" && !field.message.typeName.startsWith("google.")) {
      const value = readField(message, field) as Message | undefined;
      if (value !== undefined) yield* listLanguageWarnings(field.message, value, below);
    }
  }
}

/** Describes the problem of a language tag; undefined if it has none. */
function describe(language: string): string | undefined {
  const [usual = ""] = canonicalize(language);
  if (usual === "" || !isKnown(usual)) {
    return `${quote(language)} is not a known language; write a tag such as "en" or "pt-BR"`;
  }
  return usual === language ? undefined : `the usual spelling of ${quote(language)} is "${usual}"`;
}

/** Reports whether a language has a name. The names take 26 ms to load, which the start of a process does not wait for. */
function isKnown(language: string): boolean {
  names ??= new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
  return names.of(language) !== undefined;
}

/** Returns the usual spelling of a language tag; an empty list for a text that is none. */
function canonicalize(language: string): readonly string[] {
  try {
    return Intl.getCanonicalLocales(language);
  } catch {
    return [];
  }
}
