import type { Release } from "../../../gen/svc/type/v1/release_pb.ts";
import { type CommandGroup, command } from "../command.ts";
import {
  type ListPage,
  printList,
  printMessage,
  STUDIO_API,
  STUDIO_LIST,
  STUDIO_WRITE,
  withStudio,
} from "../studio-api.ts";

const list = command({
  summary: "list the releases of a project, the newest first",
  settings: STUDIO_LIST,
  examples: [["releases list --project worldcup", "list releases and their states"]],
  interrupted: "nothing changed",
  async run(config) {
    const { ReleaseSchema, ReleaseService, describe } = await load();
    await withStudio(ReleaseService, config, (client) => {
      const list = (page: ListPage) => client.listReleases({ ...page, order: "create_time desc" });
      return printList(config, list, "releases", ReleaseSchema, describe);
    });
  },
});

const check = command({
  summary: "list the problems of a release; exit code 1 if there are any",
  settings: STUDIO_API,
  argument: ["<id>", "id of the release"],
  examples: [["releases check finals", "check a release"]],
  interrupted: "nothing changed",
  async run(config, id) {
    const { CheckReleaseResponseSchema, ReleaseService } = await load();
    const { Code, DomainError } = await import("../../domain/base/errors.ts");
    await withStudio(ReleaseService, config, async (client) => {
      const checked = await client.checkRelease({ releaseId: id });
      const lines = checked.problems.map(
        (it) => `${it.itemKey || id}  ${it.reason}  ${it.message}`,
      );
      const text = lines.join("\n") || "no problems";
      await printMessage(config, CheckReleaseResponseSchema, checked, text);
      if (lines.length === 0) return;
      const message = `release ${id} is not ready; problems: ${lines.length}`;
      throw new DomainError(Code.FAILED_PRECONDITION, "RELEASE_NOT_READY", message);
    });
  },
});

const apply = command({
  summary: "apply a release: its drafts become current, all or none",
  settings: STUDIO_WRITE,
  argument: ["<id>", "id of the release"],
  examples: [["releases apply finals", "apply a release"]],
  interrupted: "see releases list",
  async run(config, id) {
    const { ReleaseSchema, ReleaseService } = await load();
    await withStudio(ReleaseService, config, async (client) => {
      const { dryRun } = config;
      const { release } = await client.applyRelease({ releaseId: id, validateOnly: dryRun });
      const text = `${dryRun ? "would apply" : "applied"} ${id}`;
      if (release) await printMessage(config, ReleaseSchema, release, text);
    });
  },
});

/** Loads the service and its messages, and returns a function that describes a release by them. */
async function load() {
  const { timestampDate } = await import("@bufbuild/protobuf/wkt");
  const { ReleaseSchema, ReleaseStateSchema } = await import(
    "../../../gen/svc/type/v1/release_pb.ts"
  );
  const service = await import("../../../gen/svc/studio/cms/release/v1/release_service_pb.ts");
  return {
    ...service,
    ReleaseSchema,
    describe({ id, name, state, applyTime, itemCount }: Release): string {
      const stateName = ReleaseStateSchema.value[state]?.localName.toLowerCase();
      const when = applyTime ? ` ${timestampDate(applyTime).toISOString()}` : "";
      const drafts = `${itemCount} ${itemCount === 1 ? "draft" : "drafts"}`;
      return [id, `${stateName}${when}`, drafts, name].join("  ");
    },
  };
}

/** Lists, checks and applies releases by the Studio API. */
export const RELEASES: CommandGroup = {
  summary: "list, check and apply releases of a project",
  commands: { list, check, apply },
};
