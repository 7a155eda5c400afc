import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { checkLanguages } from "../content/languages.ts";
import { Code, DomainError, invalidField } from "../errors.ts";
import { isVariableName } from "../variables/text-template.ts";

/** One or more names of an address, with slashes between them. */
const SLUG = /^[a-z0-9][a-z0-9._~-]*(\/[a-z0-9][a-z0-9._~-]*)*$/;
const LONGEST_SLUG = 200;

/**
 * Checks a page by itself. INVALID_ARGUMENT `SLUG_INVALID`, `PARAMETER_INVALID` for a parameter that no
 * variable can name or that is there twice, or `LANGUAGE_INVALID`.
 */
export function checkPage({ slug, parameters, title }: Page, path: string): void {
  if (slug.length > LONGEST_SLUG || !SLUG.test(slug)) {
    throw invalidField(
      `${path}.slug`,
      "SLUG_INVALID",
      `it is names joined by '/', of a-z, 0-9, '.', '_', '~' and '-' with a letter or digit first, ${LONGEST_SLUG} characters at most`,
    );
  }
  const before = new Set<string>();
  for (const [index, name] of parameters.entries()) {
    const fault = findFault(name, before);
    before.add(name);
    if (fault !== undefined) {
      throw invalidField(`${path}.parameters[${index}]`, "PARAMETER_INVALID", fault);
    }
  }
  checkLanguages(title, `${path}.title`);
}

/** Creates the ALREADY_EXISTS for a slug that another page of the project has. */
export function slugTaken(slug: string): DomainError {
  const field = "page.slug";
  const description = `'${slug}' is the slug of another page of the project`;
  return new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", `${field}: ${description}`, {
    fields: [{ field, description }],
    metadata: { field },
  });
}

function findFault(name: string, before: ReadonlySet<string>): string | undefined {
  if (!isVariableName(name)) {
    return `'${name}' is no name of letters, digits, '_' and '-' with a letter or '_' first`;
  }
  return before.has(name) ? `'${name}' is there twice` : undefined;
}
