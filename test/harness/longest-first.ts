import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, each about 8 seconds or more, by how their paths end. */
const LONGEST = [
  "docs/commands.test.ts",
  "browser/studio-roles.test.ts",
  "browser/studio-forms.test.ts",
  "browser/studio-forms-walk.test.ts",
  "browser/studio-composer.test.ts",
  "browser/studio.test.ts",
  "browser/studio-lists.test.ts",
  "browser/studio-releases.test.ts",
  "http/waits.test.ts",
  "cli/demo.test.ts",
  "browser/watch.test.ts",
  "storage/store.test.ts",
  "api/limits-together.test.ts",
  "api/input-limits.test.ts",
  "kql/costs.test.ts",
  "storage/postgres/open.test.ts",
  "storage/postgres/failover.test.ts",
  "storage/postgres/replicas.test.ts",
  "api/tenants.test.ts",
  "api/leak.test.ts",
  "browser/studio-preview-releases.test.ts",
  "browser/studio-preview.test.ts",
  "browser/reference.test.ts",
  "api/changes/undo-walk.test.ts",
  "api/releases/apply-crash.test.ts",
  "api/releases/transfer.test.ts",
  "api/round-trips.test.ts",
  "api/iam/iam-delegation.test.ts",
  "cli/lifecycle.test.ts",
  "cli/settings.test.ts",
  "http/waits-in-processes.test.ts",
  "cli/workers.test.ts",
  "cli/commands/backup.test.ts",
  "storage/migrate-database.test.ts",
  "storage/sqlite/restore.test.ts",
  "storage/sqlite/leases.test.ts",
  "outbox/crash.test.ts",
  "api/work-budget.test.ts",
  "api/records/write-records.test.ts",
  "api/releases/schedule.test.ts",
  "api/pages/page-work.test.ts",
  "cli/early-end.test.ts",
  "telemetry/open-log.test.ts",
  "http/listener/unread-responses.test.ts",
];

/**
 * Begins with the files that take longest: one of them at the end would keep a single core busy. The files of
 * a project stay together: a worker that gets a file of another project ends, and what it has loaded is lost.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((it) => moduleId.endsWith(`/${it}`));
      return rank < 0 ? LONGEST.length : rank;
    };
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project);
    return [...projects.values()].flatMap((it) => it.sort((a, b) => rankOf(a) - rankOf(b)));
  }
}
