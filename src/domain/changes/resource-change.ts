import {
  create,
  type DescField,
  type DescMessage,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import {
  type ChangedResource,
  ChangedResourceSchema,
  ChangeVerb,
} from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import type { Record as TransferRecord } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { isFreeJson, readField, writeField } from "../base/descriptors.ts";
import type { Steps } from "../base/steps.ts";
import { kindOf, type RecordedKind } from "../kinds.ts";
import { isRecordKind, openRecord, wrapRecord } from "../records/record.ts";
import type { ResourceName } from "../references.ts";
import { diffJson, isEqual, toWrittenJson } from "./json-merge.ts";
import { toState } from "./merge-draft.ts";
import { listPaths, PATH_LIMITS, type PathTree, readPath, WHOLE } from "./path-tree.ts";

/** A change of one resource; at least one of its states is known. */
export interface ResourceChange {
  readonly kind: RecordedKind;
  /** Absent: the resource was created. */
  readonly before?: Message | undefined;
  /** Absent: the resource was deleted. */
  readonly after?: Message | undefined;
  /** The revision of its project: changes are ordered by it. */
  readonly revision: number;
  /** True if it was deleted with the resource of the change before it. */
  readonly isDependent?: boolean;
  /** False if the change cannot be taken back: too many resources were deleted with it. */
  readonly isUndoable?: boolean;
  /** The page of a page component. */
  readonly pageId?: string | undefined;
  /** The component that a deleted page component followed; empty: it was the first of its page. */
  readonly predecessorId?: string | undefined;
  /** The order of a page's components, if it has changed. */
  readonly order?: { readonly before: readonly string[]; readonly after: readonly string[] };
}

/** Prints the key of a resource, such as `event:match-1`. */
export function printKey({ kind, id }: ResourceName): string {
  return `${kind}:${id}`;
}

/** Parses the key of a resource; without a colon it has no kind. */
export function parseChangedKey(key: string): ResourceName {
  const colon = key.indexOf(":");
  return { kind: key.slice(0, Math.max(0, colon)), id: key.slice(colon + 1) };
}

/** A change without the values of its resource. */
export interface DescribedChange {
  readonly resource: ChangedResource;
  /** All changed paths, also those that are not listed; without keys there are none. */
  readonly changed: PathTree;
}

/** Describes the changes of a write, whose paths share {@link PATH_LIMITS}. */
export function* describeChanges(
  changes: readonly ResourceChange[],
): Steps<readonly DescribedChange[]> {
  const described: DescribedChange[] = [];
  let left: number = PATH_LIMITS.write;
  for (const [index, change] of changes.entries()) {
    const share = Math.max(0, Math.floor(left / (changes.length - index)));
    const result = describeChange(change, Math.min(share, PATH_LIMITS.bytes));
    for (const path of result.resource.paths) left -= Buffer.byteLength(path);
    described.push(result);
    yield;
  }
  return described;
}

function describeChange(change: ResourceChange, maxBytes: number): DescribedChange {
  const { kind, before, after } = change;
  const key = printKey({ kind, id: kindOf(kind).idOf((after ?? before) as Message) });
  const verb =
    before === undefined
      ? ChangeVerb.CREATED
      : after === undefined
        ? ChangeVerb.DELETED
        : ChangeVerb.UPDATED;
  const changed = diffStates(change);
  const paths = changed.size > 0 ? listPaths(changed, maxBytes) : [];
  return {
    resource: create(ChangedResourceSchema, { key, verb, paths }),
    changed,
  };
}

/** Returns the paths of the values that an update has changed; without keys there are none. */
function diffStates({ kind, before, after, order }: ResourceChange): PathTree {
  const changed = new Map<string, PathTree>();
  if (before === undefined || after === undefined) return changed;
  const schema: DescMessage = kindOf(kind).schema;
  for (const field of schema.fields) {
    const values = [readField(before, field), readField(after, field)] as const;
    if (field.name === "update_time" || isEqual(...values)) continue;
    const below = diffField(schema, field, ...values);
    if (below !== undefined) changed.set(field.name, below);
  }
  if (order !== undefined) changed.set("page_component_ids", WHOLE);
  return changed;
}

/** Returns the paths with different values below a field whose values differ. */
function diffField(
  schema: DescMessage,
  field: DescField,
  before: unknown,
  after: unknown,
): PathTree | undefined {
  // Only messages and maps have paths below them. JSON costs more than the rest.
  if (field.fieldKind !== "message" && field.fieldKind !== "map") return WHOLE;
  if (isFreeJson(field)) return diffJson(before as JsonValue, after as JsonValue);
  const [was, is] = [before, after].map((value) => {
    const part = create(schema);
    if (value !== undefined) writeField(part, field, value);
    return toWrittenJson(schema, part)[field.name];
  });
  return diffJson(was, is);
}

/** Returns the state before a change as a record; undefined if the resource was created, or its kind has no records. */
export function toRecordBefore({
  kind,
  before,
  pageId,
  predecessorId,
  order,
  isUndoable = true,
}: ResourceChange): TransferRecord | undefined {
  if (before === undefined || !isUndoable || !isRecordKind(kind)) return undefined;
  return wrapRecord({
    kind,
    message: before,
    line: 0,
    ...(pageId !== undefined && { pageId }),
    ...(predecessorId !== undefined && { predecessorId }),
    ...(order !== undefined && { componentIds: order.before }),
  });
}

/** A value of a resource before and after a change; undefined: there is none. */
interface ChangedValue {
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
