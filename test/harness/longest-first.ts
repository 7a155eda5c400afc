import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, each 8 seconds or more, by how their paths end. */
const LONGEST = [
  "docs/commands.test.ts",
  "storage/store.test.ts",
  "api/input-limits.test.ts",
  "cli/import.test.ts",
  "api/leak.test.ts",
  "api/access.test.ts",
  "api/work-budget.test.ts",
  "cli/backup.test.ts",
  "cli/lifecycle.test.ts",
  "cli/settings.test.ts",
  "storage/migrate-database.test.ts",
  "cli/migrate-database.test.ts",
  "log/open-log.test.ts",
  "cli/workers.test.ts",
  "api/tenants.test.ts",
  "cli/demo.test.ts",
  "api/ruleset-groups.test.ts",
  "outbox/crash.test.ts",
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
