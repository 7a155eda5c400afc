import type { JsonObject } from "@bufbuild/protobuf";
import type { Item, ResolvedComponent } from "../../../packages/client/src/delivery.ts";
import { isObject } from "../../../src/domain/base/json.ts";
import type { JsonOf } from "./json-of.ts";
import { pick, toSnake } from "./text.ts";

/** The JSON of a component. */
export type Resolved = JsonOf<ResolvedComponent>;

/** The JSON of an event, a creative work or an entity, whichever an item is. */
export type ItemContent = NonNullable<JsonOf<Item>["event"]>;

/** Returns the id of a component; empty: it is not saved. */
export function idOf({ component }: Resolved): string {
  return component?.id ?? "";
}

/** Returns the event, the creative work or the entity of an item. */
export function contentOf({ event, creativeWork, entity }: JsonOf<Item>): ItemContent {
  return event ?? (creativeWork as ItemContent | undefined) ?? (entity as ItemContent) ?? {};
}

/** Returns the data member of a component, an inline grid's own configuration among them. */
export function dataOf({ component = {} }: Resolved): JsonObject {
  const { contentGrid } = component;
  if (contentGrid !== undefined) return contentGrid.inline ?? contentGrid.reference ?? {};
  const found = Object.entries(component).find(
    ([name, value]) => isObject(value) && toSnake(name) === component.type,
  );
  // `content_carousel` is an alias of `rail`.
  return (found?.[1] ?? component.rail ?? {}) as JsonObject;
}

/** Returns the heading of a component: its title, else its name. */
export function titleOf(resolved: Resolved, language: string): string {
  const { name, type = "" } = resolved.component ?? {};
  return pick(dataOf(resolved).title, language) || name || type;
}

/** Returns what narrows a component: the clauses by session key, and the key of the search. */
export function sessionSettingsOf(resolved: Resolved) {
  const data = dataOf(resolved);
  const clauses = data.additionalFilters ?? data.additional_filters ?? {};
  return {
    additionalFilters: clauses as Readonly<Record<string, string>>,
    additionalSearch: String(data.additionalSearch ?? data.additional_search ?? ""),
  };
}

/** Says why a component is hidden. */
export function explainHidden(resolved: Resolved, session: JsonObject): string {
  const { additionalFilters, additionalSearch } = sessionSettingsOf(resolved);
  const undeclared = Object.keys(session).filter(
    (key) =>
      session[key] !== null && !Object.hasOwn(additionalFilters, key) && key !== additionalSearch,
  );
  return `Hidden: the session sets ${undeclared.join(", ")}, which the component does not declare.`;
}
