/**
 * Compiles the packages that `npm pack` packs, each into its `dist/`: `marquee` from this folder's parent, or the one
 * in the folder that is named, such as `packages/client`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const [folder] = process.argv.slice(2);

if (folder === undefined) {
  compile(ROOT, "tsconfig.build.json");
  // What the service reads as it runs: migrations, the demo, the schema and the preview.
  for (const read of ["src", "gen"]) {
    cpSync(join(ROOT, read), join(ROOT, "dist", read), { recursive: true, filter: isRead });
  }
  cpSync(join(ROOT, "demo/demo.ndjson"), join(ROOT, "dist/demo/demo.ndjson"));
  for (const name of ["swagger-ui-bundle.js", "swagger-ui.css", "LICENSE", "NOTICE"]) {
    cpSync(join(ROOT, "node_modules/swagger-ui-dist", name), join(ROOT, "dist/swagger-ui", name));
  }
} else {
  const path = join(ROOT, folder);
  compile(path, "tsconfig.json");
  cpSync(join(ROOT, "LICENSE"), join(path, "dist/LICENSE"));
}

function compile(path: string, config: string): void {
  rmSync(join(path, "dist"), { recursive: true, force: true });
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  execFileSync(tsc, ["-p", join(path, config)], { stdio: "inherit" });
}

function isRead(path: string): boolean {
  return statSync(path).isDirectory() || !/\.(?:ts|md)$/.test(path);
}
