import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/harness/longest-first.ts";

/** Tests of pure functions: no server, no database, no process. */
const UNIT = [
  "test/client/kql.test.ts",
  "test/conventions/**/*.test.ts",
  "test/docs/{citations,facts,links,prose,source-prose}.test.ts",
  "test/domain/**/*.test.ts",
  "test/http/rest/**/*.test.ts",
  "test/network/**/*.test.ts",
  "test/drawing/**/*.test.ts",
  "test/protojson/**/*.test.ts",
];

/** Tests that replace a module, which other files of the same worker must not get. */
const ISOLATED = ["test/http/slow-clients.test.ts", "test/http/cache/cold-get.test.ts"];

/** Tests that need PostgreSQL. */
const POSTGRES_ONLY = ["test/storage/postgres/**/*.test.ts", "test/**/migrate-database.test.ts"];

/**
 * Tests that run on PostgreSQL, too: the contracts of the store, and the calls of the API that depend on SQL of an engine, on
 * transactions, or on several writers or processes. The contracts hold the engines equal for all other calls.
 */
const BOTH_ENGINES = [
  ...POSTGRES_ONLY,
  "test/storage/{migrations,search-cost,store,window-statements,write-watch}.test.ts",
  "test/storage/kql/**/*.test.ts",
  "test/api/{access-in-two-processes,changes-at-once,consistency-token,deletion-by-force}.test.ts",
  "test/api/{limits-together,quotas,request-id-repeat,round-trips}.test.ts",
  "test/api/{iam/sessions-in-two-processes,same-id-again}.test.ts",
  "test/http/endpoints/metrics.test.ts",
  "test/http/waits.test.ts",
  "test/api/records/write-at-once.test.ts",
  "test/api/releases/{apply-at-once,apply-crash,schedule,schedule-turns}.test.ts",
  "test/api/windows.test.ts",
  "test/api/write-ways/*.test.ts",
];

/** The engine of a run; without one, the tests of both engines run. */
const { MARQUEE_TEST_ENGINE: ENGINE } = process.env;

const TEMPLATES = "test/harness/template-databases.ts";
const POSTGRES = "test/harness/postgres-databases.ts";
const PROGRAMS = "test/harness/programs.ts";

const SERVICE = {
  // Compiled code is kept, as the command line does: workers and the processes of tests start in half the time.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/marquee") },
  globalSetup: ENGINE === "postgres" ? [PROGRAMS, TEMPLATES, POSTGRES] : [PROGRAMS, TEMPLATES],
  setupFiles: ["test/harness/end-processes.ts"],
};

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    // Two more than cores, as tests of browsers, PostgreSQL and processes wait for others.
    maxWorkers: availableParallelism() + 2,
    // Ends tests that hang, without failing any on a slow or busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "unit", include: UNIT, isolate: false } },
      { extends: true, test: { name: "isolated", include: ISOLATED, ...SERVICE } },
      {
        extends: true,
        test: {
          name: "service",
          include: ["test/**/*.test.ts"],
          exclude: [
            ...[...UNIT, ...ISOLATED],
            // Install packages, by a run of their own: npm run examples.
            "test/examples/**",
            ...(ENGINE === "postgres" ? [] : POSTGRES_ONLY),
          ],
          isolate: false,
          ...SERVICE,
        },
      },
      ...(ENGINE === undefined
        ? [
            {
              extends: true as const,
              test: {
                name: "postgres",
                isolate: false,
                include: BOTH_ENGINES,
                ...SERVICE,
                env: { ...SERVICE.env, MARQUEE_TEST_ENGINE: "postgres" },
                globalSetup: [PROGRAMS, TEMPLATES, POSTGRES],
              },
            },
          ]
        : []),
    ],
  },
});
