import type { JsonObject } from "@bufbuild/protobuf";
import { type Page, PageObject } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { ContentKind } from "../../content/order.ts";
import { createScope, type Scope } from "../../variables/scope.ts";

/** URL parameters, and the page variable `q`, as a client sends them. */
export type PageParameters = Readonly<Record<string, string>>;

const OBJECT_KINDS: Readonly<Record<PageObject, ContentKind | undefined>> = {
  [PageObject.UNSPECIFIED]: undefined,
  [PageObject.EVENT]: "event",
  [PageObject.ENTITY]: "entity",
  [PageObject.CREATIVE_WORK]: "creative_work",
};

/** Which object a page is about: the one that its parameter `id` names; undefined for none. */
export function findObjectKey(
  page: Page,
  parameters: PageParameters,
): { readonly kind: ContentKind; readonly id: string } | undefined {
  const kind = OBJECT_KINDS[page.object];
  const { id } = keepDeclared(page, parameters);
  return kind === undefined || id === undefined || id === "" ? undefined : { kind, id };
}

/**
 * Creates the scope of a page: the parameters that it declares, the page variable `q`, and the object
 * that it is about, as JSON with proto field names, if it is there.
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

function keepDeclared(page: Page, parameters: PageParameters): PageParameters {
  const declared = Object.entries(parameters).filter(([name]) => page.parameters.includes(name));
  return Object.fromEntries(declared);
}
