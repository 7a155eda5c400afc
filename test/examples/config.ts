import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    root: join(import.meta.dirname, "../.."),
    include: ["test/examples/**/*.test.ts"],
    maxWorkers: availableParallelism(),
    globalSetup: ["test/examples/packed.ts"],
    setupFiles: ["test/harness/end-processes.ts"],
    // Packages are installed.
    hookTimeout: 300_000,
    testTimeout: 120_000,
  },
});
