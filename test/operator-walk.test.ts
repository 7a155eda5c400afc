import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const execute = promisify(execFile);
const MAIN = resolve("src/main.ts");

/** The shell blocks of the README's section, in order. */
const section = readFileSync("README.md", "utf8").split("## Begin from nothing\n")[1] ?? "";
const blocks = Array.from(
  (section.split("\n## ")[0] ?? "").matchAll(/```sh\n([\s\S]*?)```/g),
  ([, block = ""]) => block,
);

describe("an operator walks from an empty database to a page, as the README says", () => {
  const folder = mkdtempSync(join(tmpdir(), "marquee-walk-"));
  let server: ReturnType<typeof spawn>;
  let url = "";

  /** Runs blocks in one shell, against the service of this test, in a folder of its own. */
  async function run(commands: readonly string[]): Promise<string> {
    const script = commands
      .join("\n")
      .replaceAll("npm run -s marquee --", `node ${MAIN}`)
      .replaceAll("http://127.0.0.1:8080", url);
    const { stdout } = await execute("sh", ["-euc", script], { cwd: folder });
    return stdout;
  }

  beforeAll(async () => {
    mkdirSync(join(folder, "data"));
    await run(blocks.slice(0, 1));
    server = spawn("node", [MAIN, "serve", "--listen", "127.0.0.1:0", "--log-level", "error"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    url = await new Promise((found) => {
      let text = "";
      server.stdout?.on("data", (chunk) => {
        text += String(chunk);
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
        if (address !== undefined) found(address);
      });
    });
  });

  afterAll(async () => {
    server.kill("SIGTERM");
    await once(server, "exit");
    rmSync(folder, { recursive: true });
  });

  test("every command succeeds, and the website gets the page", async () => {
    expect(blocks).toHaveLength(6);
    const [first = "", ...others] = blocks;
    // `init` ran already: what it printed lies where the README puts it.
    const variables = first.split("\n").filter((line) => !line.includes(" init "));
    const printed = await run([...variables, ...others]);
    const answers = printed
      .replaceAll("}{", "}\n{")
      .split("\n")
      .map((line) => JSON.parse(line));

    const page = answers.at(-1);
    expect(page.page).toMatchObject({ id: "home", slug: "home" });
    expect(page.components.map((it: { component: { id: string } }) => it.component.id)).toEqual([
      "season",
      "heading",
    ]);
    expect(page.components[0].items).toMatchObject([{ event: { id: "match-1" } }]);

    const { entries } = answers.at(-2);
    expect(entries).toHaveLength(10);
    expect(entries[0]).toMatchObject({ resource_type: "ruleset", resource_id: "everywhere" });
    expect(entries.at(-1)).toMatchObject({ resource_type: "project", resource_id: "acme" });
  });
});
