import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { http } from "../gen/google/api/annotations_pb.ts";
import { describeUsage } from "../src/cli/help.ts";
import { SETTINGS } from "../src/config.ts";
import { FIELD_LIMITS, type FieldLimits, INPUT_LIMITS } from "../src/domain/input-limits.ts";
import { MAX_DEPTH, MAX_VALUES } from "../src/transcoding/json-reader.ts";
import { findMethods, procedureOf } from "./api/methods.ts";

const execute = promisify(execFile);
const readme = readFileSync("README.md", "utf8");
const scripts = (
  JSON.parse(readFileSync("package.json", "utf8")) as {
    scripts: { start: string; marquee: string };
  }
).scripts;

/** The shell blocks of a section, in order. */
function shellBlocks(title: string): string[] {
  const section = readme.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
  return Array.from(section.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = ""]) => block);
}

/** The verbs of the standard methods, as the table of studio names them. */
const STANDARD = ["Create", "Get", "List", "Update", "Delete"];

/** Says how the table of studio names a method: by its collection, and by its verb or what follows. */
function nameInTable(method: DescMethod): string {
  const path = String(getOption(method, http).pattern.value);
  const [, collection = "", rest = ""] =
    /^(\/.*?v\d+(?:\/rulesets|\/policies|\/sso|\/entries)?)(.*)$/.exec(path) ?? [];
  const [, tail = ""] = /^(?:\/\{[^}]+\})?(.*)$/.exec(rest) ?? [];
  const verb = STANDARD.find((it) => method.name.startsWith(it)) ?? "";
  if (tail === "") return `${collection} ${verb.toLowerCase()}`;
  if (tail.startsWith(":")) return `${collection} \`${tail}\``;
  const id = /^\/\{([^}=]+)/.exec(rest)?.[1];
  const shown = id === undefined ? rest : `/{${id === "resource_key" ? id : "id"}}${tail}`;
  return `${collection} \`${shown}\``;
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

  /** Runs a block against the service of this test, and reads the JSON that it prints. */
  async function run(block: string) {
    const here = `${variables}${block}`
      .replaceAll("data/demo.json", demoFile)
      .replaceAll("http://127.0.0.1:8080", url);
    const { stdout } = await execute("sh", ["-euc", here], { maxBuffer: 16 * 1_024 * 1_024 });
    return JSON.parse(stdout);
  }

  test.each(examples.map((block) => [block.split("\n")[0], block]))(
    "runs: %s",
    async (_, block) => {
      expect(await run(block)).toMatchObject(
        block.includes("PATCH") ? { page_component: { name: "Welcome" } } : { events: [{}, {}] },
      );
    },
  );

  test("has three examples", () => {
    expect(examples).toHaveLength(3);
  });

  test("renders pages as it says", async () => {
    const [match, home, day] = await Promise.all(shellBlocks("Render a page").map(run));
    expect(match).toMatchObject({
      page: { slug: "match" },
      object: { event: { id: "match-2026-104" } },
    });
    expect(match.components[0].items).toEqual([match.object]);
    expect(match.dropped).toBeUndefined();
    const rail = home.components.find((it: { pinned?: object; search?: string; filter?: string }) =>
      it.filter?.includes("team-fra"),
    );
    expect(rail.filter).toContain('fields.season.id: "2022"');
    expect(home.components.some((it: { hidden?: boolean }) => it.hidden)).toBe(true);
    expect(day.items).toMatchObject([{ event: { id: "match-2026-104" } }]);
  });

  test("finds content as it says", async () => {
    const [block = ""] = shellBlocks("Find content");
    const { events } = await run(block);
    expect(events[0].id).toBe("match-2026-104");
    const rows =
      readme.split("\n## Find content\n")[1]?.matchAll(/^\|[^|]*\| `([^`]+)` \|/gm) ?? [];
    const filters = Array.from(rows, ([, example = ""]) => example).slice(0, 3);
    expect(filters).toHaveLength(3);
    for (const filter of filters) {
      const message = `message=${JSON.stringify({ filter })}`;
      const found = await run(block.replace(/'message=[^']*'/, `'${message}'`));
      if (!filter.includes("now")) expect(found.events.length, filter).toBeGreaterThan(0);
    }
  });

  test("backs up the running service and restores as it says", async () => {
    const file = join(folder, "marquee-backup.db");
    const runCommand = (block: string, database: string) =>
      execute(
        "sh",
        [
          "-euc",
          block
            .replaceAll("npm run marquee --", scripts.marquee.replace("exec ", ""))
            .replaceAll("marquee-backup.db", file),
        ],
        { env: { ...process.env, MARQUEE_DATABASE: `sqlite:${join(folder, database)}` } },
      );
    const [backup = "", restore = "", ...others] = shellBlocks("Backup");
    expect(others).toEqual([]);
    const made = await runCommand(backup, "marquee.db");
    await expect(runCommand(restore, "marquee.db")).rejects.toThrow(/has the database open/);
    const restored = await runCommand(restore, "restored.db");
    const countsOf = ({ stdout }: { stdout: string }) => stdout.split("\n").slice(1);
    expect(made.stdout).toMatch(
      /^backed up .* MiB, at migration \d+, in .* s\n {2}organizations +\d/,
    );
    expect(countsOf(restored)).toEqual(countsOf(made));
  });

  test("takes the events of a billing provider as it says", async () => {
    const [block = ""] = shellBlocks("Billing events");
    const answers = [await run(block), await run(block)];
    const [{ transaction_id: id }] = answers;
    expect(id).toMatch(/./);
    const want = { transaction_id: id, status: "TRANSACTION_STATUS_CAPTURED", ignored: false };
    expect(answers).toEqual([want, want]);
  });

  test("names every method of delivery, and no other", async () => {
    const methods = (await findMethods()).map(procedureOf);
    const named = Array.from(
      readme.matchAll(/^\| `(?:GET|POST) \/(svc\.\S+)`/gm),
      ([, name]) => name,
    );
    expect(named.toSorted()).toEqual(methods.filter((it) => it.startsWith("svc.cda.")).sort());
  });

  test("names every method of studio, and no other", async () => {
    const rows = Array.from(
      readme.matchAll(/^\| `(\/[a-z_/0-9]+)` \|[^|]*\| ([^|]+) \|$/gm),
      ([, path = "", methods = ""]) => ({ path, methods: methods.split(", ") }),
    );
    const named = rows.flatMap(({ path, methods }) => methods.map((it) => `${path} ${it}`));
    const wanted = (await findMethods())
      .filter((it) => it.parent.typeName.startsWith("svc.studio."))
      .flatMap(nameInTable);
    expect([...new Set(wanted)].sort()).toEqual(named.toSorted());
  });

  test("names only files that exist", () => {
    const named = Array.from(
      readme.matchAll(/`((?:[a-z-]+\/)+[a-z-]+\.ts)`/g),
      ([, name = ""]) => name,
    );
    const missing = named.filter((name) => !existsSync(name) && !existsSync(join("src", name)));
    expect([named.length > 10, missing]).toEqual([true, []]);
  });

  test.each(SETTINGS.map(({ flag }) => [flag]))("and --help know the setting --%s", (flag) => {
    expect(readme).toContain(`\`--${flag}`);
    expect(describeUsage()).toContain(`--${flag}`);
  });

  test("tells the limits of fields as they are", () => {
    const rowOf = (start: string) =>
      readme.split("\n").find((line) => line.startsWith(`| ${start}`)) ?? "";
    const { id, filter, token, description, text, bytes, list, messages, map, json } = INPUT_LIMITS;
    const kinds: readonly (readonly [string, FieldLimits])[] = [
      ["`id`", id],
      ["a KQL filter", filter],
      ["`…_token`", token],
      ["`description`", description],
      ["any other text", text],
      ["bytes", bytes],
      ["a list; of messages", { items: list.items, entries: messages.items }],
      ["a map", map],
      ["any JSON", { values: json.values, jsonCharacters: json.jsonCharacters }],
      ["a key in any JSON", { key: json.key }],
      ["a value in any JSON", { levels: json.levels, path: json.path }],
    ];
    const own = Object.entries(FIELD_LIMITS).map(
      ([name, limits]) => [`\`${name.split(".").slice(-2).join(".")}\``, limits] as const,
    );
    for (const [start, limits] of [...kinds, ...own]) {
      const held = rowOf(start).split("|")[2] ?? "";
      const numbers = Array.from(held.matchAll(/\d[\d,]*/g), ([it]) =>
        Number(it.replaceAll(",", "")),
      );
      expect([start, numbers]).toEqual([start, Object.values(limits)]);
    }
    expect(readme.match(/^\| `\w+\.\w+` \| /gm)).toHaveLength(own.length);
    expect(readme).toContain("JSON 100 levels and 20,000 values");
    expect([MAX_DEPTH, MAX_VALUES]).toEqual([100, 20_000]);
  });

  test("names only scripts that exist", () => {
    const named = Array.from(readme.matchAll(/npm run ([a-z:]+)/g), ([, name]) => name);
    expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ""))).toEqual([]);
  });
});
