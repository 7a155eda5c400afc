import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { readOwnPath } from "../kql/index.ts";

/**
 * Returns the value of a variable by its path without braces, such as `event.fields.season.id`; undefined
 * if it has none. A value is never null, an empty string or an empty list.
 */
export type Scope = (path: string) => JsonValue | undefined;

/** The content item of a page, as JSON with proto field names. */
export interface PageObject {
  /** The first segment of its variables. */
  readonly kind: "event" | "entity" | "creative_work";
  readonly json: JsonObject;
}

/** The sources of a page's variables. */
export interface ScopeParts {
  /** The values of the URL parameters that the page declares, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The value of `{q}`; default: the parameter `q`. */
  readonly q?: string;
  readonly object?: PageObject;
}

/** Returns the kind of content item of which a path names a member; undefined for a parameter. */
export function objectKindOf(path: string): PageObject["kind"] | undefined {
  return OBJECT_PATH.exec(path)?.[1] as PageObject["kind"] | undefined;
}

const OBJECT_PATH = /^(event|entity|creative_work)\.(.+)$/s;

/**
 * Creates the scope of a page (contract: variables 1). `event.…`, `entity.…` and `creative_work.…` read
 * members of the page's content item and never a parameter; any other path is the full name of a parameter. A
 * list on the path yields the list of its elements' members, without null and empty values.
 */
export function createScope({ parameters, q, object }: ScopeParts): Scope {
  return (path) => {
    const [, kind, member] = OBJECT_PATH.exec(path) ?? [];
    if (member !== undefined) {
      if (object === undefined || object.kind !== kind) return undefined;
      return toValue(readOwnPath(object.json, member) as JsonValue | undefined);
    }
    if (path === "q" && q !== undefined) return toValue(q);
    return Object.hasOwn(parameters, path) ? toValue(parameters[path]) : undefined;
  };
}

function toValue(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value === null || value === "" ? undefined : value;
  const items = value.map(toValue).filter((item) => item !== undefined);
  return items.length === 0 ? undefined : items;
}
