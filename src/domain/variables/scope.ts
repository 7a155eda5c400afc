import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { readOwnPath } from "../kql/index.ts";

/**
 * Reads the value of a variable by its path without braces, such as `event.fields.season.id`;
 * undefined when it has none. A value is never null, an empty text or an empty list.
 */
export type Scope = (path: string) => JsonValue | undefined;

/** The object that a page is about, as JSON with proto field names. */
export interface PageObject {
  /** The name that its variables begin with. */
  readonly kind: "event" | "entity" | "creative_work";
  readonly json: JsonObject;
}

/** What the variables of one page read. */
export interface ScopeParts {
  /** The URL parameters that the page declares, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The page variable `{q}`; absent: the parameter of this name. */
  readonly q?: string;
  readonly object?: PageObject;
}

const OBJECT_PATH = /^(event|entity|creative_work)\.(.+)$/s;

/**
 * Creates the scope of a page (SPEC Variables). `event.…`, `entity.…` and `creative_work.…` read own
 * members of the page's own object and never a parameter; every other path is a parameter's whole
 * name. A list on the way gives the list of its elements' members; a list leaves out what is null
 * or empty.
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
