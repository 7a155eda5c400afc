import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  CheckReleaseResponseSchema,
  ReleaseService,
} from "../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import {
  type Release,
  ReleaseSchema,
  ReleaseStateSchema,
} from "../../gen/svc/type/v1/release_pb.ts";
import { Code, DomainError } from "../domain/base/errors.ts";
import type { IdConfig, STUDIO_API, STUDIO_LIST, STUDIO_WRITE } from "./command-settings.ts";
import type { ConfigOf } from "./setting.ts";
import { type ListPage, printList, printMessage, withStudio } from "./studio-api.ts";

/** Runs `marquee releases list`: prints releases of a project, the newest first, one a line. */
export function listReleases(config: ConfigOf<typeof STUDIO_LIST>): Promise<void> {
  return withStudio(ReleaseService, config, (client) => {
    const list = (page: ListPage) => client.listReleases({ ...page, order: "create_time desc" });
    return printList(config, list, "releases", ReleaseSchema, describe);
  });
}

/** Runs `marquee releases check ID`: prints the problems of a release. Throws `RELEASE_NOT_READY` if it has any. */
export function checkRelease({ id, ...config }: IdConfig<typeof STUDIO_API>): Promise<void> {
  return withStudio(ReleaseService, config, async (client) => {
    const checked = await client.checkRelease({ releaseId: id });
    const lines = checked.problems.map((it) => `${it.itemKey || id}  ${it.reason}  ${it.message}`);
    printMessage(config, CheckReleaseResponseSchema, checked, lines.join("\n") || "no problems");
    if (lines.length === 0) return;
    const message = `release ${id} is not ready; problems: ${lines.length}`;
    throw new DomainError(Code.FAILED_PRECONDITION, "RELEASE_NOT_READY", message);
  });
}

/** Runs `marquee releases apply ID`: applies the drafts of a release. */
export function applyRelease({ id, ...config }: IdConfig<typeof STUDIO_WRITE>): Promise<void> {
  return withStudio(ReleaseService, config, async (client) => {
    const { isDryRun } = config;
    const { release } = await client.applyRelease({ releaseId: id, validateOnly: isDryRun });
    const text = `${isDryRun ? "would apply" : "applied"} ${id}`;
    if (release) printMessage(config, ReleaseSchema, release, text);
  });
}

function describe({ id, name, state, applyTime, itemCount }: Release): string {
  const stateName = ReleaseStateSchema.value[state]?.localName.toLowerCase();
  const when = applyTime ? ` ${timestampDate(applyTime).toISOString()}` : "";
  const drafts = `${itemCount} ${itemCount === 1 ? "draft" : "drafts"}`;
  return [id, `${stateName}${when}`, drafts, name].join("  ");
}
