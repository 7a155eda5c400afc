import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { rewriteKqlValues } from "../domain/kql/index.ts";
import { isSitePath } from "../domain/validation/url-fields.ts";
import type { CopyIds } from "./copy-ids.ts";

/** Names whose value is an id or a list of ids: `id`, `offer_id`, `entityIds`, `pinned`. */
const ID_NAME = /^(?:ids?|pinned|\w*(?:_ids?|[a-z]Ids?))$/;

/** A text that is neither a plain word nor a number; only such texts are taken for ids under other names. */
const ID_FORM = /[a-z].*[^a-z]|[^a-z].*[a-z]/i;

/** The settings of a rail that contain KQL; in a grid they are free JSON. */
const KQL_NAME = /^(?:filter|additional_filters|additionalFilters)$/;

/**
 * Replaces ids in a filter by the ids of the copy, by the rule of {@link copyJson}. Only values that equal the id of a
 * resource in the file are replaced.
 */
export function copyKql(text: string, ids: CopyIds): string {
  return rewriteKqlValues(text, (path, value) =>
    findCopy(path.slice(path.lastIndexOf(".") + 1), value, ids),
  );
}

/**
 * Replaces ids in a link by the ids of the copy: in the path after the slug of a page, and in the values of the query.
 * An absolute URL stays unchanged.
 */
export function copyLink(link: string, ids: CopyIds): string {
  if (!isSitePath(link)) return link;
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(link) ?? [];
  return copyPath(path, ids) + copyQuery(query, ids) + fragment;
}

function copyPath(path: string, ids: CopyIds): string {
  const segments = path.split("/").slice(1);
  const slugs = segments.map((_, at) => ids.isSlug(segments.slice(0, at + 1).join("/")));
  const behind = slugs.lastIndexOf(true) + 1;
  const copied = segments.map((it, at) => (at < behind ? it : copyEncoded(it, ids)));
  return `/${copied.join("/")}`;
}

function copyQuery(query: string, ids: CopyIds): string {
  return query.replace(/=([^&]*)/g, (_, value: string) => `=${copyEncoded(value, ids)}`);
}

function copyEncoded(text: string, ids: CopyIds): string {
  try {
    const found = ids.find(decodeURIComponent(text));
    return found === undefined ? text : encodeURIComponent(found);
  } catch {
    return text;
  }
}

function findCopy(name: string, text: string, ids: CopyIds): string | undefined {
  return ID_NAME.test(name) || ID_FORM.test(text) ? ids.find(text) : undefined;
}

/** The location of free JSON; only page components contain filters. */
export type JsonPlace = "component" | "elsewhere";

/**
 * Replaces ids in free JSON by the ids of the copy. Ids are in links, in the filters of page components, and in strings
 * that equal the id of a resource in the file. A plain word or number counts as an id only if its name says so. So
 * `{"side": "home"}` stays unchanged although there is a page with the id `home`.
 */
export function copyJson(json: JsonObject, place: JsonPlace, ids: CopyIds): JsonObject {
  return copyValue(json, "", place, ids) as JsonObject;
}

function copyValue(value: JsonValue, name: string, place: JsonPlace, ids: CopyIds): JsonValue {
  if (typeof value === "string") return copyText(value, name, place, ids);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((it) => copyValue(it, name, place, ids));
  const isClauses = place === "component" && KQL_NAME.test(name);
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [
      key,
      copyValue(it, isClauses && typeof it === "string" ? name : key, place, ids),
    ]),
  );
}

function copyText(text: string, name: string, place: JsonPlace, ids: CopyIds): string {
  if (text.startsWith("/")) return copyLink(text, ids);
  if (place === "component" && KQL_NAME.test(name)) return copyKql(text, ids);
  return findCopy(name, text, ids) ?? text;
}
