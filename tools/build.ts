/**
 * Compiles the packages that `npm pack` packs, each into its `dist/`: the server from this folder's parent, or the client
 * in the folder that is named, `packages/client`.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  globSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const [folder] = process.argv.slice(2);

if (folder === undefined) buildService();
else buildClient(folder);

function buildService(): void {
  compile(ROOT, "tsconfig.build.json");
  // The members that the compiled modules need; `exports` has no effect below the package's own folder.
  const { name, version, description, type } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  writeFileSync(
    join(ROOT, "dist/package.json"),
    JSON.stringify({ name, version, description, type }),
  );
  // The files that the service reads as it runs: migrations, the schema, the demo and the pages.
  for (const path of [
    "src",
    "gen",
    "demo/demo.ndjson",
    "demo/pictures.json",
    "demo/releases.ndjson",
    ...globSync("web/*/dist", { cwd: ROOT }),
  ]) {
    cpSync(join(ROOT, path), join(ROOT, "dist", path), { recursive: true, filter: isRead });
  }
}

/** Compiles the client. Its modules are at the top of `dist/`, next to the modules shared with the service. */
function buildClient(folder: string): void {
  const path = join(ROOT, folder);
  compile(path, "tsconfig.json");
  const compiled = join(path, "dist", folder, "src");
  for (const name of readdirSync(compiled)) {
    const text = readFileSync(join(compiled, name), "utf8");
    writeFileSync(join(path, "dist", name), text.replaceAll('"../../../', '"./'));
  }
  rmSync(join(path, "dist/packages"), { recursive: true });
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
