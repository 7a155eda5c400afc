/** A column of `content` with a time and an index. */
export type TimeColumn = "sort_time" | "create_time" | "update_time";

/** Maximum length of a key in `content_value`, in characters; a longer key is compared in `content_leaf`. */
export const VALUE_LENGTH = 256;

const TIME_COLUMNS: Readonly<Record<string, TimeColumn>> = {
  start_time: "sort_time",
  release_time: "sort_time",
  create_time: "create_time",
  update_time: "update_time",
};

/** Finds the column of `content` for a field. */
export function findTimeColumn(field: string): TimeColumn | undefined {
  return Object.hasOwn(TIME_COLUMNS, field) ? TIME_COLUMNS[field] : undefined;
}

/** Paths without posting lists: columns of `content`, or the same value everywhere. */
const NOT_INDEXED: readonly string[] = [
  ...Object.keys(TIME_COLUMNS),
  "id",
  "project_id",
  "visibility",
];

/** Descriptions are long and rarely equal, so they have no posting lists either. */
const LONG = "description.";

/** Decides whether the values of a path have posting lists in `content_value`. */
export function isIndexed(path: string): boolean {
  return !NOT_INDEXED.includes(path) && !path.startsWith(LONG);
}

/** Decides whether the values of a path, and of every path that may lie below it, have posting lists. */
export function isSubtreeIndexed(path: string): boolean {
  return isIndexed(path) && !LONG.startsWith(`${path}.`);
}
