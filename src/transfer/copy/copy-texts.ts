import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isSitePath } from "../../domain/content/links.ts";
import { rewriteKqlValues } from "../../domain/kql/index.ts";
import type { CopyIds } from "./copy-ids.ts";

/** Names whose value is an id or a list of ids: `id`, `offer_id`, `entityIds`, `pinned`. */
const ID_NAME = /^(?:ids?|pinned|\w*(?:_ids?|[a-z]Ids?))$/;

/** A text that is no plain word and no number; under another name only such a one is taken for an id. */
const ID_FORM = /[a-z].*[^a-z]|[^a-z].*[a-z]/i;

/** The settings of a rail that hold KQL; a grid holds them as free JSON. */
const KQL_NAME = /^(?:filter|additional_filters|additionalFilters)$/;

/**
 * Puts the ids of a copy into a filter: where a field equals exactly the id of a resource in the file, by
 * the rule of {@link copyJson}.
 */
export function copyKql(text: string, ids: CopyIds): string {
  return rewriteKqlValues(text, (path, value) =>
    findCopy(path.slice(path.lastIndexOf(".") + 1), value, ids),
  );
}

/**
 * Puts the ids of a copy into a link: into the path of the site behind the slug of a page, and into the
 * values of its query. An absolute URL stays as it is.
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

/** Where free JSON stands: filters are known of page components alone. */
export type JsonPlace = "component" | "elsewhere";

/**
 * Puts the ids of a copy into free JSON: into links, into the filters of page components, and where a text is
 * exactly the id of a resource in the file. A plain word or a number counts only if the name says that it is
 * an id, so that `{"side": "home"}` stays as it is where a page is called `home`.
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
