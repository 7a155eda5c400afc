import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../../../src/domain/base/json.ts";
import { contentOf, idOf, type Resolved } from "./resolved.ts";
import { pick, printValue } from "./text.ts";

/** How a component of a preview differs from the current page. */
export type Change = "added" | "changed" | "moved" | "removed";

/** A value that differs from the current one. */
export interface Difference {
  /** Such as `rail.title.en`. */
  readonly path: string;
  /** Absent: there is none. */
  readonly current: JsonValue | undefined;
  readonly preview: JsonValue | undefined;
}

/** A component of a preview or, if it is removed, of the current page. */
export interface Compared {
  readonly resolved: Resolved;
  /** Empty: the same as the current version. */
  readonly changes: readonly Change[];
  readonly differences: readonly Difference[];
}

/** Values that differ without a change of content. */
const IGNORED = new Set(["createTime", "updateTime", "itemsNextPageToken"]);

/**
 * Compares the components of a preview with the current ones, by id. The result has the order of the preview; a removed
 * component follows its current predecessor.
 */
export function compareComponents(
  current: readonly Resolved[],
  preview: readonly Resolved[],
): readonly Compared[] {
  const byId = new Map(current.map((it) => [idOf(it), it]));
  const previewed = new Set(preview.map(idOf));
  const order = current.map(idOf).filter((id) => previewed.has(id));
  const kept = findKept(
    order,
    preview.map(idOf).filter((id) => byId.has(id)),
  );
  const compared = preview.map((resolved): Compared => {
    const before = byId.get(idOf(resolved));
    if (before === undefined) return { resolved, changes: ["added"], differences: [] };
    const differences = [
      ...compareValues({ ...before, items: [] }, { ...resolved, items: [] }),
      ...compareItems(before.items, resolved.items),
    ];
    const changes: Change[] = differences.length > 0 ? ["changed"] : [];
    if (!kept.has(idOf(resolved))) changes.push("moved");
    return { resolved, changes, differences };
  });
  for (const [index, resolved] of current.entries()) {
    if (previewed.has(idOf(resolved))) continue;
    const predecessor = current[index - 1];
    const at = compared.findIndex(
      (it) => predecessor !== undefined && idOf(it.resolved) === idOf(predecessor),
    );
    compared.splice(at + 1, 0, { resolved, changes: ["removed"], differences: [] });
  }
  return compared;
}

/**
 * Lists the values that differ. Objects of lists are compared in pairs. A list with more objects, fewer, or another order of them
 * differs as a whole, and its pairs have the same name.
 */
export function compareValues(
  current: unknown,
  preview: unknown,
  path = "",
): readonly Difference[] {
  if (Array.isArray(current) && Array.isArray(preview)) {
    if ([...current, ...preview].every(isObject)) return compareLists(current, preview, path);
  }
  if (isObject(current) && isObject(preview)) {
    const names = [...new Set([...Object.keys(current), ...Object.keys(preview)])];
    return names
      .filter((name) => !IGNORED.has(name))
      .flatMap((name) =>
        compareValues(current[name], preview[name], path === "" ? name : `${path}.${name}`),
      );
  }
  if (JSON.stringify(current) === JSON.stringify(preview)) return [];
  return [{ path, current: current as JsonValue, preview: preview as JsonValue }];
}

function compareLists(
  current: readonly JsonObject[],
  preview: readonly JsonObject[],
  path: string,
): readonly Difference[] {
  const [before = [], after = []] = [current, preview].map((rows) =>
    rows.map((it) => printValue([it], "en")),
  );
  // As many objects with other names are renamed.
  const isOther =
    before.length !== after.length ||
    (`${before}` !== `${after}` && `${before.toSorted()}` === `${after.toSorted()}`);
  const rows = preview.flatMap((row, index) => {
    const other = current[isOther ? before.indexOf(after[index] ?? "") : index];
    return other === undefined ? [] : compareValues(other, row, `${path}[${index}]`);
  });
  return isOther ? [{ path, current: [...current], preview: [...preview] }, ...rows] : rows;
}

/** Compares lists of items. If they have other items, the values are the titles that only one has. */
function compareItems(
  current: Resolved["items"] = [],
  preview: Resolved["items"] = [],
): readonly Difference[] {
  const [currentIds, previewIds] = [current, preview].map((items) => items.map(itemIdOf));
  if (compareValues(currentIds, previewIds).length === 0)
    return compareValues(current, preview, "items");
  const titlesOf = (items: typeof current, others: readonly string[] = []) =>
    items
      .filter((it) => !others.includes(itemIdOf(it)))
      .map((it) => pick(contentOf(it).title, "en") || itemIdOf(it));
  const only = { current: titlesOf(current, previewIds), preview: titlesOf(preview, currentIds) };
  const isReordered = only.current.length + only.preview.length === 0;
  const titles = { current: titlesOf(current), preview: titlesOf(preview) };
  return [{ path: "items", ...(isReordered ? titles : only) }];
}

function itemIdOf(item: NonNullable<Resolved["items"]>[number]): string {
  return contentOf(item).id ?? "";
}

/** Returns the most ids that are in the same order in both lists: the others have moved. */
function findKept(current: readonly string[], preview: readonly string[]): ReadonlySet<string> {
  const places = new Map(current.map((id, index) => [id, index]));
  const placeOf = (id = "") => places.get(id) ?? -1;
  const runs: (readonly string[])[] = [];
  for (const id of preview) {
    const before = runs.filter((run) => placeOf(run.at(-1)) < placeOf(id));
    runs.push([...findLongest(before), id]);
  }
  return new Set(findLongest(runs));
}

function findLongest(lists: readonly (readonly string[])[]): readonly string[] {
  return lists.reduce((longest, it) => (it.length > longest.length ? it : longest), []);
}
