import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../../src/domain/base/json.ts";
import { useApp } from "./app.ts";
import { kindOfName, titleOf } from "./kinds.ts";
import { linkTo } from "./router.ts";

/** Reads the key of a resource in a change or a draft, such as `event:match-2026-104`. */
export function parseKey(key: string): { readonly kind: string; readonly id: string } {
  const at = key.indexOf(":");
  return { kind: key.slice(0, at), id: key.slice(at + 1) };
}

/** Returns the resource of a record; undefined if its values are withheld, or there is none. */
export function resourceOf(record: JsonValue | undefined): JsonObject | undefined {
  if (!isObject(record)) return undefined;
  const member = Object.entries(record).find(
    ([name, value]) => kindOfName(name) !== undefined && typeof value === "object",
  );
  const value = member?.[1] as JsonObject | undefined;
  // A component is wrapped with its place.
  return (value?.page_component as JsonObject | undefined) ?? value;
}

/** Names the resource of a key by a title that is known, in words. */
export function nameRecord(key: string, resource: JsonObject | undefined): string {
  const { kind, id } = parseKey(key);
  const word = kindOfName(kind)?.words[0] ?? kind.replaceAll("_", " ");
  const title = resource === undefined ? id : titleOf(resource);
  return `${word.charAt(0).toUpperCase()}${word.slice(1)} “${title}”`;
}

/** Links to the resource of a key in a release; a text alone if the studio has no view of its kind. */
export function KeyLink({
  of: key,
  release = "",
  text = key,
}: {
  /** Such as `event:match-2026-104`. */
  of: string;
  /** Empty: the current version. */
  release?: string;
  text?: string;
}) {
  const { route } = useApp();
  const { kind, id } = parseKey(key);
  const section = kindOfName(kind)?.section;
  if (section === undefined) return <span>{text}</span>;
  return <a href={linkTo(route, section, id, { release })}>{text}</a>;
}
