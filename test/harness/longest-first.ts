import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, each 10 seconds or more, by how their paths end. */
const LONGEST = [
  "storage/store.test.ts",
  "cli/import.test.ts",
  "api/leak.test.ts",
  "docs/commands.test.ts",
  "cli/backup.test.ts",
  "api/access.test.ts",
  "api/input-limits.test.ts",
  "outbox/crash.test.ts",
];

/** Begins with the files that take longest: one of them at the end would keep a single core busy. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((it) => moduleId.endsWith(`/${it}`));
      return rank < 0 ? LONGEST.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
