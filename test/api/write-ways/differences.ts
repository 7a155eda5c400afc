import type { Write } from "./writes.ts";

/** A refusal of single calls that another way of writing does not have like this. */
export interface Difference {
  readonly ways: readonly string[];
  readonly verb: Write["verb"];
  /** Absent: any kind. */
  readonly kind?: Write["kind"];
  /** True for a write of a resource that exists; absent: of any. */
  readonly isExisting?: boolean;
  /** The reasons; absent: any. */
  readonly reasons?: readonly string[];
  /** The write is omitted, or is refused for whatever reason. */
  readonly effect: "anyReason" | "omitted";
  readonly why: string;
}

const RECORDS = ["records together", "records each"];

/**
 * The rules between resources, which many records are held to once they are written: of a write that breaks two of
 * them, a way may name either.
 */
export const BETWEEN_RESOURCES: readonly string[] = [
  "ALREADY_EXISTS",
  "GROUP_NOT_ADJACENT",
  "PAGE_FILTER_LIMIT",
  "QUOTA_EXCEEDED",
  "REFERENCE_NOT_FOUND",
];

/** The differences between the ways of writing. */
export const DIFFERENCES: readonly Difference[] = [
  {
    ...{ ways: [...RECORDS, "file"], verb: "create", isExisting: true, effect: "omitted" },
    why: "a record replaces the resource that has its id",
  },
  {
    ...{ ways: ["release"], verb: "create", isExisting: true, effect: "anyReason" },
    why: "a single call checks the layout of the page before the id, and a draft only the id",
  },
  {
    ...{ ways: ["release"], verb: "delete", kind: "page", isExisting: true, effect: "omitted" },
    ...{ reasons: ["STILL_REFERRED_TO"] },
    why: "a release that deletes a page deletes its components",
  },
  {
    ...{ ways: ["records each"], verb: "reorder", effect: "omitted" },
    why: "an order is a record of each component, which is rejected for itself",
  },
  {
    ...{ ways: ["file"], verb: "update", isExisting: false, effect: "omitted" },
    why: "a file has no masks, so that it creates the resource",
  },
  ...(["create", "update"] as const).map(
    (verb): Difference => ({
      ...{ ways: ["file"], verb, reasons: ["REFERENCE_NOT_FOUND"], effect: "omitted" },
      why: "a file may refer to what its project lacks, such as after a deletion by force",
    }),
  ),
];

/** Finds the difference of a way for a write that single calls refuse. */
export function findDifference(
  way: string,
  { verb, kind }: Write,
  isExisting: boolean,
  reason = "",
): Difference | undefined {
  return DIFFERENCES.find(
    (it) =>
      it.ways.includes(way) &&
      it.verb === verb &&
      (it.isExisting ?? isExisting) === isExisting &&
      (it.kind === undefined || it.kind === kind) &&
      (it.reasons?.includes(reason) ?? true),
  );
}
