import type { TimeColumn } from "./plan/order-runs.ts";

/** How much of a key the table of values holds, in characters: what is longer is told by its leaf. */
export const VALUE_LENGTH = 256;

/** The fields that are columns of content with an index of their own. */
const TIME_COLUMNS: Readonly<Record<string, TimeColumn>> = {
  start_time: "sort_time",
  release_time: "sort_time",
  create_time: "create_time",
  update_time: "update_time",
};

/** Finds the column of content that holds a field of time. */
export function findTimeColumn(field: string): TimeColumn | undefined {
  return Object.hasOwn(TIME_COLUMNS, field) ? TIME_COLUMNS[field] : undefined;
}

/** The paths that the table of values leaves out: they are columns, or the same for all, or long. */
const LEFT_OUT: readonly string[] = [
  ...Object.keys(TIME_COLUMNS),
  "id",
  "project_id",
  "visibility",
];

const LONG = "description.";

/** Tells whether the table of values holds a path. */
export function isInValues(path: string): boolean {
  return !LEFT_OUT.includes(path) && !path.startsWith(LONG);
}

/** Tells whether the table of values holds a path and all that can lie below it. */
export function isWhollyInValues(path: string): boolean {
  return isInValues(path) && !LONG.startsWith(`${path}.`);
}
