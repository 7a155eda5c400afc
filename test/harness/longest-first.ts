import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, each 8 seconds or more, by how their paths end. */
const LONGEST = [
  "docs/commands.test.ts",
  "storage/store.test.ts",
  "api/changes/undo-walk.test.ts",
  "kql/costs.test.ts",
  "storage/postgres/open.test.ts",
  "storage/postgres/replicas.test.ts",
  "api/input-limits.test.ts",
  "api/round-trips.test.ts",
  "api/work-budget.test.ts",
  "api/leak.test.ts",
  "api/iam/iam-delegation.test.ts",
  "storage/postgres/failover.test.ts",
  "cli/workers.test.ts",
  "api/releases/transfer.test.ts",
  "api/releases/merge-kinds.test.ts",
  "api/releases/preview-property.test.ts",
  "api/releases/autosaves.test.ts",
  "api/tenants.test.ts",
  "api/resource-lists.test.ts",
  "api/pages/page-work.test.ts",
  "api/iam/access.test.ts",
  "outbox/worker.test.ts",
  "storage/migrate-database.test.ts",
  "cli/migrate-database.test.ts",
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
