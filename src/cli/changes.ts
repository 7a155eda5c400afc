import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { listChangedValues } from "../domain/changes/json-merge.ts";
import { parseChangedKey } from "../domain/changes/resource-change.ts";
import type { CHANGES_LIST, CHANGES_REVERT, CHANGES_SHOW, IdConfig } from "./command-settings.ts";
import type { ConfigOf } from "./setting.ts";
import { printResult } from "./store-command.ts";
import { StudioApi } from "./studio-api.ts";

/** A change as the Studio API writes it in JSON. */
interface Change {
  readonly id: string;
  readonly time: string;
  readonly account_id: string;
  readonly method: string;
  readonly resources: readonly ChangedResource[];
}

interface ChangedResource {
  readonly key: string;
  readonly verb: string;
  readonly paths: readonly string[];
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

const PATH = "/cms/changes/v1";

/** Runs `marquee changes list`: lists the newest changes of a project. */
export async function listChanges(config: ConfigOf<typeof CHANGES_LIST>): Promise<void> {
  const { projectId, filter, limit } = config;
  const query = { project_id: projectId, filter };
  const changes = await new StudioApi(config).list<Change>(PATH, "changes", query, limit);
  for (const change of changes) printResult(config, change, `${describe(change)}\n`);
  if (changes.length === 0 && !config.json) process.stdout.write("no changes\n");
}

/** Runs `marquee changes show ID`: prints a change with its values. */
export async function showChange(config: IdConfig<typeof CHANGES_SHOW>): Promise<void> {
  const path = `${PATH}/${encodeURIComponent(config.id)}`;
  const { change } = await new StudioApi(config).get<{ change: Change }>(path);
  const { id, time, account_id, method, resources } = change;
  const lines = [`${id}  ${time}  ${account_id}  ${nameOf(method)}`, ...resources.flatMap(toLines)];
  printResult(config, change, `${lines.join("\n")}\n`);
}

/** Runs `marquee changes revert ID`: takes a change back. */
export async function revertChange(config: IdConfig<typeof CHANGES_REVERT>): Promise<void> {
  const path = `${PATH}/${encodeURIComponent(config.id)}:revert`;
  const body = { validate_only: config.isDryRun };
  const reverted = await new StudioApi(config).post<{ resources: string[] }>(path, body);
  const verb = config.isDryRun ? "would revert" : "reverted";
  const { resources } = reverted;
  const lines = resources.map((key) => `${verb} ${key}\n`);
  printResult(config, reverted, lines.length === 0 ? "nothing to revert\n" : lines.join(""));
}

/** Describes a change in one line. */
function describe({ id, time, account_id, method, resources }: Change): string {
  const [first] = resources;
  const more = resources.length > 1 ? ` and ${resources.length - 1} more` : "";
  const changed = first === undefined ? "" : `${describeResource(first)}${more}`;
  return [id, time, account_id, nameOf(method), changed].join("  ");
}

function describeResource({ key, verb, paths }: ChangedResource): string {
  return [key, verb.replace("CHANGE_VERB_", "").toLowerCase(), ...paths].join(" ");
}

/** Returns a line for a resource, and one for each of its changed values. */
function toLines(resource: ChangedResource): string[] {
  const { key, paths, before, after } = resource;
  const { kind } = parseChangedKey(key);
  const values = listChangedValues(toState(kind, before), toState(kind, after)).filter(
    ({ path }) => path === "" || paths.includes(path),
  );
  return [
    describeResource(resource),
    ...values.map(
      (it) =>
        `  ${it.path === "" ? "" : `${it.path}: `}${toText(it.before)} -> ${toText(it.after)}`,
    ),
  ];
}

/** Returns the JSON of the resource of a record. */
function toState(kind: string, record: JsonObject | undefined): JsonObject | undefined {
  const placed = record?.[kind] as JsonObject | undefined;
  // The record of a page component names its page, too.
  return (placed?.[kind] ?? placed) as JsonObject | undefined;
}

function toText(value: JsonValue | undefined): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}

/** Returns the name of a method without its service. */
function nameOf(method: string): string {
  return method.slice(method.indexOf("/") + 1);
}
