import { expect, test } from "vitest";
import { MARQUEE, run } from "../harness/process.ts";

test("a start loads neither undici nor the other engine", async () => {
  const script = `
    import { createRequire } from "node:module";
    await import("./src/cli/server-process.ts");
    await import("./src/storage/sqlite/open.ts");
    const { cache } = createRequire(import.meta.url);
    console.log([...process.moduleLoadList, ...Object.keys(cache)].join("\\n"));
  `;
  const { stdout } = await run(MARQUEE.program, ["--input-type=module", "--eval", script]);
  const loaded = stdout.split("\n");
  expect(loaded.filter((it) => /better-sqlite3/.test(it))).not.toEqual([]);
  expect(loaded.filter((it) => /undici|node_modules\/pg\//.test(it))).toEqual([]);
});
