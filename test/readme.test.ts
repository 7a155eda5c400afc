import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeUsage } from "../src/cli/help.ts";
import { SETTINGS } from "../src/config.ts";

const execute = promisify(execFile);
const readme = readFileSync("README.md", "utf8");
const scripts = (
  JSON.parse(readFileSync("package.json", "utf8")) as {
    scripts: { start: string };
  }
).scripts;

/** The shell blocks of a section, in order. */
function shellBlocks(title: string): string[] {
  const section = readme.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
  return Array.from(section.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = ""]) => block);
}

describe("the README", () => {
  const folder = mkdtempSync(join(tmpdir(), "marquee-readme-"));
  const demoFile = join(folder, "demo.json");
  let server: ReturnType<typeof spawn>;
  let url = "";

  beforeAll(async () => {
    const settings = [
      ...["--listen", "127.0.0.1:0", "--log-level", "error", "--demo-file", demoFile],
      ...["--database", `sqlite:${join(folder, "marquee.db")}`],
    ];
    const [command = "", ...args] = scripts.start.replace("exec ", "").split(" ");
    server = spawn(command, [...args, ...settings], { stdio: ["ignore", "pipe", "inherit"] });
    url = await new Promise((resolve) => {
      let text = "";
      server.stdout?.on("data", (chunk) => {
        text += String(chunk);
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
        if (address !== undefined && text.includes("Explore the schema")) resolve(address);
      });
    });
  });

  afterAll(async () => {
    server.kill("SIGTERM");
    await once(server, "exit");
    rmSync(folder, { recursive: true });
  });

  const [variables = "", ...examples] = shellBlocks("Try it");

  test.each(examples.map((block) => [block.split("\n")[0], block]))(
    "runs: %s",
    async (_, block) => {
      const here = `${variables}${block}`
        .replaceAll("data/demo.json", demoFile)
        .replaceAll("http://127.0.0.1:8080", url);
      const { stdout } = await execute("sh", ["-euc", here]);
      expect(JSON.parse(stdout)).toMatchObject(
        block.includes("PATCH") ? { page_component: { name: "Welcome" } } : { events: [{}, {}] },
      );
    },
  );

  test("has three examples", () => {
    expect(examples).toHaveLength(3);
  });

  test.each(SETTINGS.map(({ flag }) => [flag]))("and --help know the setting --%s", (flag) => {
    expect(readme).toContain(`\`--${flag}`);
    expect(describeUsage()).toContain(`--${flag}`);
  });

  test("names only scripts that exist", () => {
    const named = Array.from(readme.matchAll(/npm run ([a-z:]+)/g), ([, name]) => name);
    expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ""))).toEqual([]);
  });
});
