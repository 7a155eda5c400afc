import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { Code, DomainError, notFound } from "../base/errors.ts";
import { checkField, withField } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";
import { checkLanguages } from "../content/languages.ts";
import { checkAvailability } from "../content/window.ts";
import { isVariableName } from "../variables/text-template.ts";

/** One or more path segments joined by slashes. */
const SLUG = /^[a-z0-9][a-z0-9._~-]*(\/[a-z0-9][a-z0-9._~-]*)*$/;
const LONGEST_SLUG = 200;

/** The page variable, which no page declares. */
const PAGE_VARIABLE = "q";

/**
 * Checks a page. INVALID_ARGUMENT `SLUG_INVALID`, `PARAMETER_INVALID` for a repeated parameter, one that no
 * variable can name, or the page variable `q`, `LANGUAGE_INVALID` or `WINDOW_INVALID`.
 */
export function checkPage(page: Page, path: string): void {
  const { slug, parameters, title } = page;
  const isSlug = slug.length <= LONGEST_SLUG && SLUG.test(slug);
  const description = `'${clip(slug)}' must be segments of a-z, 0-9, '.', '_', '~' and '-' joined by '/', each beginning with a letter or digit, ${LONGEST_SLUG} characters at most`;
  checkField(isSlug, `${path}.slug`, "SLUG_INVALID", description);
  for (const [index, name] of parameters.entries()) {
    const error = findError(name, parameters.indexOf(name) < index);
    const field = `${path}.parameters[${index}]`;
    checkField(error === undefined, field, "PARAMETER_INVALID", error ?? "");
  }
  checkLanguages(title, `${path}.title`);
  checkAvailability(page, path);
}

/** Creates the NOT_FOUND error of a page, or of the component that identifies it. */
export function missingPage(
  key: { readonly id: string } | { readonly slug: string } | { readonly componentId: string },
): DomainError {
  if ("componentId" in key) return notFound("page_component", key.componentId);
  const name = "id" in key ? key.id : key.slug;
  const { code, reason, message, metadata } = notFound("page", name);
  const hint = "slug" in key && name.startsWith("/") ? "; a slug begins without a slash" : "";
  return new DomainError(code, reason, message + hint, { metadata });
}

/** Creates the ALREADY_EXISTS error for a slug that another page of the project has. */
export function slugTaken(slug: string): DomainError {
  const description = `'${slug}' is the slug of another page of the project`;
  const error = new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", description);
  return withField("page.slug", error);
}

function findError(name: string, isRepeated: boolean): string | undefined {
  if (!isVariableName(name)) {
    return `'${clip(name)}' must consist of letters, digits, '_' and '-' and begin with a letter or '_'`;
  }
  if (name === PAGE_VARIABLE) return `must not be '${name}', a variable that every page has`;
  return isRepeated ? `'${clip(name)}' must not be repeated` : undefined;
}
