import type { JsonValue } from "@bufbuild/protobuf";
import type { ChangedResource } from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { openRecord } from "../records/record.ts";
import { isEqual } from "./json-merge.ts";
import { toState } from "./merge-draft.ts";
import { readPath } from "./path-tree.ts";

/** A value of a resource before and after a change; undefined: there is none. */
export interface ChangedValue {
  /** Empty for a whole resource, which was created or deleted. */
  readonly path: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Lists the values that a change has changed in a resource. */
export function listChangedValues({ paths, before, after }: ChangedResource): ChangedValue[] {
  const [from, to] = [before, after].map((it) => {
    const item = it && openRecord(it, 0);
    return item && toState(item);
  });
  return (from && to ? paths : [""])
    .map((path) => ({ path, before: readPath(from, path), after: readPath(to, path) }))
    .filter((it) => !isEqual(it.before, it.after));
}
