import type { Change, ChangedResource } from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { type CommandGroup, command } from "../command.ts";
import {
  printList,
  printMessage,
  STUDIO_API,
  STUDIO_LIST,
  STUDIO_WRITE,
  withStudio,
} from "../studio-api.ts";

const list = command({
  summary: "list the newest changes of a project",
  settings: STUDIO_LIST,
  examples: [["changes list --project worldcup", "list the last 50 changes"]],
  interrupted: "nothing changed",
  async run(config) {
    const { ChangeSchema, ChangeService, describe, describeResource } = await load();
    await withStudio(ChangeService, config, (client) =>
      printList(config, client.listChanges, "changes", ChangeSchema, (change) => {
        const [first = "", ...others] = change.resources.map(describeResource);
        return `${describe(change)}  ${first}${others.length > 0 ? ` and ${others.length} more` : ""}`;
      }),
    );
  },
});

const show = command({
  summary: "show a change with its values",
  settings: STUDIO_API,
  argument: ["<id>", "id of the change"],
  examples: [["changes show 6f1c9a1e-50b3-4c4e-9f3a-0f6c5f1d2b7a", "show a change"]],
  interrupted: "nothing changed",
  async run(config, id) {
    const { ChangeSchema, ChangeService, describe, describeResource } = await load();
    const { listChangedValues } = await import("../../domain/changes/resource-change.ts");
    const toText = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));
    await withStudio(ChangeService, config, async (client) => {
      const { change } = await client.getChange({ changeId: id });
      if (change === undefined) return;
      const lines = change.resources.flatMap((resource) => [
        describeResource(resource),
        ...listChangedValues(resource).map(
          ({ path, before, after }) =>
            `  ${path && `${path}: `}${toText(before)} -> ${toText(after)}`,
        ),
      ]);
      await printMessage(config, ChangeSchema, change, [describe(change), ...lines].join("\n"));
    });
  },
});

const revert = command({
  summary: "take a change back",
  settings: STUDIO_WRITE,
  argument: ["<id>", "id of the change"],
  examples: [["changes revert 6f1c9a1e-50b3-4c4e-9f3a-0f6c5f1d2b7a", "take a change back"]],
  interrupted: "see changes list",
  async run(config, id) {
    const { ChangeService, RevertChangeResponseSchema } = await load();
    await withStudio(ChangeService, config, async (client) => {
      const { dryRun } = config;
      const reverted = await client.revertChange({ changeId: id, validateOnly: dryRun });
      const verb = dryRun ? "would revert" : "reverted";
      const lines = reverted.resources.map((key) => `${verb} ${key}`).join("\n");
      const text = lines || "nothing to revert";
      await printMessage(config, RevertChangeResponseSchema, reverted, text);
    });
  },
});

/** Loads the service and its messages, and returns functions that describe a change by them. */
async function load() {
  const { timestampDate } = await import("@bufbuild/protobuf/wkt");
  const { ChangeVerbSchema, ...messages } = await import(
    "../../../gen/svc/studio/cms/change/v1/change_pb.ts"
  );
  const service = await import("../../../gen/svc/studio/cms/change/v1/change_service_pb.ts");
  return {
    ...messages,
    ...service,
    describe({ id, time, accountId, method }: Change): string {
      const when = time && timestampDate(time).toISOString();
      return [id, when, accountId, method.slice(method.indexOf("/") + 1)].join("  ");
    },
    describeResource: ({ key, verb, paths }: ChangedResource) =>
      [key, ChangeVerbSchema.value[verb]?.localName.toLowerCase(), ...paths].join(" "),
  };
}

/** Lists, shows and reverts changes by the Studio API. */
export const CHANGES: CommandGroup = {
  summary: "list, show and revert changes of a project",
  commands: { list, show, revert },
};
