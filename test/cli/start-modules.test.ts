import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { MARQUEE, PROGRAMS, type Running, start } from "../harness/process.ts";
import { createServiceFolder } from "../harness/test-folder.ts";

// The program as users have it, not its bundle.
vi.stubEnv(PROGRAMS, undefined);
afterAll(() => vi.unstubAllEnvs());

/** Writes the modules and the parts of Node that were loaded to the file `LOADED`, when the process ends. */
const PRELOAD = `
  import { writeFileSync } from "node:fs";
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({
    load(url, context, next) {
      loaded.push(url);
      return next(url, context);
    },
  });
  process.on("exit", () => {
    writeFileSync(process.env.LOADED, [...loaded, ...process.moduleLoadList].join("\\n"));
  });
`;

/** Runs a command line until `end`, and lists what it has loaded. */
async function listLoaded(
  args: readonly string[],
  end: (running: Running) => Promise<unknown> = async () => {},
): Promise<readonly string[]> {
  const { path, database } = createServiceFolder({ empty: true });
  const preload = `--import=data:text/javascript,${encodeURIComponent(PRELOAD)}`;
  const env = { LOADED: join(path, "loaded.txt"), MARQUEE_DATABASE: `sqlite:${database}` };
  const running = start(MARQUEE.program, [preload, ...MARQUEE.args(...args)], { env });
  await end(running);
  expect((await running.finished).code).toBe(0);
  return readFileSync(env.LOADED, "utf8").split("\n");
}

/** Lists what a service loads until it prints its URLs and ends. */
function listLoadedByServe(...flags: readonly string[]): Promise<readonly string[]> {
  return listLoaded(["serve", "--listen", "127.0.0.1:0", ...flags], async (running) => {
    await running.printed(/Delivery API {2}\S+\n/);
    running.child.kill("SIGTERM");
  });
}

test("a start loads neither undici nor the other engine", async () => {
  const loaded = await listLoadedByServe();
  expect(loaded.filter((it) => /better-sqlite3/.test(it))).not.toEqual([]);
  expect(loaded.filter((it) => /undici|node_modules\/pg\//.test(it))).toEqual([]);
});

test("a start with --studio loads nothing more (case 22)", async () => {
  const [without, loaded] = await Promise.all([listLoadedByServe(), listLoadedByServe("--studio")]);
  expect(loaded.filter((it) => /openid-client|oauth4webapi/.test(it))).toEqual([]);
  expect(loaded.toSorted()).toEqual(without.toSorted());
});

test.each(["--help", "token list --help", "complete bash"])(
  "%s loads commander and few other files: no messages, no driver, not the server",
  async (line) => {
    const loaded = await listLoaded(line.split(" "));
    const files = loaded.filter((it) => it.startsWith("file:") && !/\/commander\//.test(it));
    expect(files.filter((it) => /\/(gen|node_modules|demo)\/|src\/server\.ts/.test(it))).toEqual(
      [],
    );
    expect(files.length).toBeGreaterThan(20);
    expect(files.length).toBeLessThan(45);
  },
);
