import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type Change,
  type ChangedResource,
  ChangeSchema,
  ChangeVerbSchema,
} from "../../gen/svc/studio/cms/change/v1/change_pb.ts";
import {
  ChangeService,
  RevertChangeResponseSchema,
} from "../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import { isEqual } from "../domain/changes/json-merge.ts";
import { toState } from "../domain/changes/merge-draft.ts";
import { readPath } from "../domain/changes/path-tree.ts";
import { openRecord } from "../domain/records/record.ts";
import type { IdConfig, STUDIO_API, STUDIO_LIST, STUDIO_WRITE } from "./command-settings.ts";
import type { ConfigOf } from "./setting.ts";
import { printList, printMessage, withStudio } from "./studio-api.ts";

/** Runs `marquee changes list`: prints the newest changes of a project, one a line. */
export function listChanges(config: ConfigOf<typeof STUDIO_LIST>): Promise<void> {
  return withStudio(ChangeService, config, (client) =>
    printList(config, client.listChanges, "changes", ChangeSchema, (change) => {
      const [first = "", ...others] = change.resources.map(describeResource);
      return `${describe(change)}  ${first}${others.length > 0 ? ` and ${others.length} more` : ""}`;
    }),
  );
}

/** Runs `marquee changes show ID`: prints a change with its values. */
export function showChange({ id, ...config }: IdConfig<typeof STUDIO_API>): Promise<void> {
  return withStudio(ChangeService, config, async (client) => {
    const { change } = await client.getChange({ changeId: id });
    if (change === undefined) return;
    const lines = change.resources.flatMap((it) => [describeResource(it), ...listValues(it)]);
    printMessage(config, ChangeSchema, change, [describe(change), ...lines].join("\n"));
  });
}

/** Runs `marquee changes revert ID`: takes a change back. */
export function revertChange({ id, ...config }: IdConfig<typeof STUDIO_WRITE>): Promise<void> {
  return withStudio(ChangeService, config, async (client) => {
    const { isDryRun } = config;
    const reverted = await client.revertChange({ changeId: id, validateOnly: isDryRun });
    const verb = isDryRun ? "would revert" : "reverted";
    const lines = reverted.resources.map((key) => `${verb} ${key}`).join("\n");
    printMessage(config, RevertChangeResponseSchema, reverted, lines || "nothing to revert");
  });
}

function describe({ id, time, accountId, method }: Change): string {
  const when = time && timestampDate(time).toISOString();
  return [id, when, accountId, method.slice(method.indexOf("/") + 1)].join("  ");
}

function describeResource({ key, verb, paths }: ChangedResource): string {
  return [key, ChangeVerbSchema.value[verb]?.localName.toLowerCase(), ...paths].join(" ");
}

/** Returns a line for each changed value; the path of a whole resource is omitted. */
function listValues({ paths, before, after }: ChangedResource): string[] {
  const [from, to] = [before, after].map((it) => {
    const item = it && openRecord(it, 0);
    return item && toState(item);
  });
  const toText = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));
  return (from && to ? paths : [""]).flatMap((path) => {
    const [was, is] = [readPath(from, path), readPath(to, path)];
    if (isEqual(was, is)) return [];
    return `  ${path && `${path}: `}${toText(was)} -> ${toText(is)}`;
  });
}
