import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rollup } from "vite";
import { afterAll, expect, test } from "vitest";
import { readPage } from "../docs/pages.ts";
import { createFolder } from "../harness/folder.ts";
import { ROOT } from "../harness/process.ts";

const folder = createFolder();
afterAll(() => folder.remove());

/** Bundles a module as vite does for a site. */
async function bundle(code: string): Promise<string> {
  const input = join(folder.path, "entry.js");
  writeFileSync(input, code);
  const output = (await build({
    root: ROOT,
    configFile: false,
    logLevel: "silent",
    build: { write: false, rollupOptions: { input, preserveEntrySignatures: "strict" } },
  })) as Rollup.RollupOutput;
  return output.output[0].code;
}

const [, section = ""] = /## Size\n([\s\S]*?)\n## /.exec(readPage("docs/clients.md").text) ?? [];
const rows = Array.from(section.matchAll(/^\| (.*`.*) \| (\d+) \|$/gm), ([, cell = "", size]) => ({
  names: Array.from(cell.matchAll(/`(\w+)`/g), ([, name = ""]) => name),
  isMore: cell.startsWith("the same"),
  limit: Number(size) * 1_000,
}));

test("the page of clients has the sizes of both clients and the filters", () => {
  expect(rows.map(({ limit }) => limit)).toHaveLength(3);
});

test.each(rows)("$names has at most $limit bytes, and not 2 kB less", async (row) => {
  const names = row.isMore ? [...(rows[0]?.names ?? []), ...row.names] : row.names;
  const index = `${ROOT}packages/client/src/index.ts`;
  const code = await bundle(`export { ${names.join(", ")} } from "${index}";`);
  const size = gzipSync(code, { level: 9 }).length;
  expect(size).toBeLessThanOrEqual(row.limit);
  expect(size).toBeGreaterThan(row.limit - 2_000);
});

test("a site with the client of the Delivery API loads none of the Studio API's services", async () => {
  const index = `${ROOT}packages/client/src/index.ts`;
  const code = await bundle(`export { createDeliveryClient } from "${index}";`);
  const files = Array.from(code.matchAll(/["`](C[\w+/]{40,})/g), ([, text = ""]) =>
    Buffer.from(text, "base64").toString("latin1"),
  );
  expect(files.some((it) => it.includes("svc/cda/cms/event/v1/event_service.proto"))).toBe(true);
  expect(files.filter((it) => /svc\/studio\/[\w/]+_service\.proto/.test(it))).toEqual([]);
});
