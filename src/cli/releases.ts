import { Code, DomainError } from "../domain/errors.ts";
import type {
  IdConfig,
  RELEASES_APPLY,
  RELEASES_CHECK,
  RELEASES_LIST,
} from "./command-settings.ts";
import type { ConfigOf } from "./setting.ts";
import { printResult } from "./store-command.ts";
import { StudioApi } from "./studio-api.ts";

/** A release as the Studio API writes it in JSON. */
interface Release {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly apply_time?: string;
  readonly item_count: number;
}

interface Problem {
  readonly item_key: string;
  readonly reason: string;
  readonly message: string;
}

const PATH = "/cms/releases/v1";

/** Runs `marquee releases list`: lists releases of a project, the newest first. */
export async function listReleases(config: ConfigOf<typeof RELEASES_LIST>): Promise<void> {
  const { projectId, filter, limit } = config;
  const query = { project_id: projectId, filter, order: "create_time desc" };
  const releases = await new StudioApi(config).list<Release>(PATH, "releases", query, limit);
  for (const release of releases) printResult(config, release, `${describe(release)}\n`);
  if (releases.length === 0 && !config.json) process.stdout.write("no releases\n");
}

/**
 * Runs `marquee releases check ID`: prints the problems of a release. FAILED_PRECONDITION `RELEASE_NOT_READY` if it has
 * any.
 */
export async function checkRelease(config: IdConfig<typeof RELEASES_CHECK>): Promise<void> {
  const path = `${PATH}/${encodeURIComponent(config.id)}:check`;
  const checked = await new StudioApi(config).post<{ problems: Problem[] }>(path, {});
  const lines = checked.problems.map(({ item_key, reason, message }) =>
    [item_key || config.id, reason, message].join("  "),
  );
  printResult(config, checked, lines.length === 0 ? "no problems\n" : `${lines.join("\n")}\n`);
  if (lines.length === 0) return;
  const message = `release ${config.id} is not ready; problems: ${lines.length}`;
  throw new DomainError(Code.FAILED_PRECONDITION, "RELEASE_NOT_READY", message);
}

/** Runs `marquee releases apply ID`: makes the drafts of a release live. */
export async function applyRelease(config: IdConfig<typeof RELEASES_APPLY>): Promise<void> {
  const path = `${PATH}/${encodeURIComponent(config.id)}:apply`;
  const body = { validate_only: config.isDryRun };
  const { release } = await new StudioApi(config).post<{ release: Release }>(path, body);
  const verb = config.isDryRun ? "would apply" : "applied";
  printResult(config, release, `${verb} ${release.id}\n`);
}

function describe({ id, name, state, apply_time, item_count }: Release): string {
  const stateName = state.replace("RELEASE_STATE_", "").toLowerCase();
  const when = apply_time === undefined ? stateName : `${stateName} ${apply_time}`;
  return [id, when, `${item_count} ${item_count === 1 ? "draft" : "drafts"}`, name].join("  ");
}
