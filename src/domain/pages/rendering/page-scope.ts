import type { JsonObject } from "@bufbuild/protobuf";
import { type Page, PageObject } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { ContentKind } from "../../content/order.ts";
import { createScope, objectKindOf, type Scope } from "../../variables/text-template.ts";

/** The URL parameters of a request, including the page variable `q`. */
export type PageParameters = Readonly<Record<string, string>>;

const OBJECT_KINDS: Readonly<Record<PageObject, ContentKind | undefined>> = {
  [PageObject.UNSPECIFIED]: undefined,
  [PageObject.EVENT]: "event",
  [PageObject.ENTITY]: "entity",
  [PageObject.CREATIVE_WORK]: "creative_work",
};

/** Returns the content item of a page, named by its parameter `id`; undefined for none. */
export function findObjectKey(
  page: Page,
  parameters: PageParameters,
): { readonly kind: ContentKind; readonly id: string } | undefined {
  const kind = OBJECT_KINDS[page.object];
  const { id } = keepDeclared(page, parameters);
  return kind === undefined || id === undefined || id === "" ? undefined : { kind, id };
}

/**
 * Creates the scope of a page from its declared parameters, the page variable `q`, and its content item as
 * JSON with proto field names, if it exists.
 */
export function createPageScope(
  page: Page,
  parameters: PageParameters,
  object: JsonObject | undefined,
): Scope {
  const kind = OBJECT_KINDS[page.object];
  const q = Object.hasOwn(parameters, "q") ? parameters.q : undefined;
  return createScope({
    parameters: keepDeclared(page, parameters),
    ...(q !== undefined && { q }),
    ...(kind !== undefined && object !== undefined && { object: { kind, json: object } }),
  });
}

/** Reports whether a variable can have a value on a page: `q`, a declared parameter, or a member of the content item. */
export function declaresVariable({ object, parameters }: Page, path: string): boolean {
  const kind = objectKindOf(path);
  if (kind !== undefined) return OBJECT_KINDS[object] === kind;
  return path === "q" || parameters.includes(path);
}

function keepDeclared(page: Page, parameters: PageParameters): PageParameters {
  const declared = Object.entries(parameters).filter(([name]) => page.parameters.includes(name));
  return Object.fromEntries(declared);
}
