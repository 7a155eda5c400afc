import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { ConfigError } from "../../../src/cli/setting.ts";
import { parseCommand, runCommand } from "../../harness/command.ts";
import { send } from "../../harness/http.ts";
import { MARQUEE, run, start } from "../../harness/process.ts";
import { type ServiceFolder, serveHere, serveProcess } from "../../harness/service-process.ts";
import { createServiceFolder } from "../../harness/test-folder.ts";

let folder: ServiceFolder;
let file: string;
beforeEach(() => {
  folder = createServiceFolder();
  file = join(folder.path, "backup.db");
});

const marquee = (...args: string[]) =>
  runCommand(...args, "--database", `sqlite:${folder.database}`);

const COMPONENT = "/ott/page_components/v2/banner-home";
const BATCH = "/ott/page_components/v1/batch?page_component_ids=banner-home";
const rename = (name: string) => ({ page_component_update: { name }, update_mask: "name" });

test("a server is backed up while it writes, cannot be replaced while it runs, and has its responses back afterwards", async () => {
  const service = await serveProcess(folder);
  const token = JSON.parse(readFileSync(folder.demoFile, "utf8")).accounts.owner;
  const change = async (name: string) => {
    const body = rename(name);
    const got = await send("PATCH", service.studioUrl + COMPONENT, { token, body });
    expect(got.status).toBe(200);
  };
  await change("before");
  let isOver = false;
  const writes = (async () => {
    for (let count = 0; ; count += 1) {
      if (isOver) return count;
      await change(`during ${count}`);
    }
  })();
  const args = MARQUEE.args("backup", file, "--database", `sqlite:${folder.database}`);
  const made = await run(MARQUEE.program, args);
  isOver = true;
  expect(await writes).toBeGreaterThan(2);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(made.stdout).toMatch(
    /^backed up \d+\.\d MiB, at migration \d+, in \d+\.\d s\n {2}organizations +\d+\n {2}projects +\d+\n/,
  );
  await change("after");

  const rejected = await marquee("restore", file, "--replace");
  expect(rejected).toMatchObject({ code: 1, stdout: "" });
  expect(rejected.stderr).toBe(
    "marquee: the database is in use; stop the process that has it open\n",
  );
  await change("after all");
  expect(await service.stop()).toBe(0);

  const restored = await marquee("restore", file, "--replace");
  expect(restored).toMatchObject({ code: 0, stderr: "" });
  const countsOf = (text: string) => text.split("\n").filter((line) => line.startsWith("  "));
  expect(countsOf(restored.stdout)).toEqual(countsOf(made.stdout));
  expect(restored.stdout).toContain(`the previous database is ${folder.database}.before-restore\n`);
  const again = await serveHere(folder);
  const { json } = await send("GET", again.studioUrl + BATCH, { token });
  expect(json.page_components[0].name).toMatch(/^(before|during \d+)$/);
  await again.stop();
});

test("a backup that is killed at any moment leaves a whole file or none", async () => {
  const outcomes = new Set<string>();
  for (const delay of [0, 15, 60]) {
    const target = join(folder.path, `killed-${delay}.db`);
    const database = `sqlite:${folder.database}`;
    const child = start(MARQUEE.program, MARQUEE.args("backup", target, "--database", database));
    while (!existsSync(`${target}.partial`) && !existsSync(target)) await setTimeout(1);
    await setTimeout(delay);
    child.child.kill("SIGKILL");
    await child.finished;
    outcomes.add(existsSync(target) ? "whole" : "none");
    if (!existsSync(target)) continue;
    const restored = `sqlite:${join(folder.path, `restored-${delay}.db`)}`;
    expect(await runCommand("restore", target, "--database", restored)).toMatchObject({ code: 0 });
  }
  expect(outcomes).toContain("none");
});

describe("a rejection is one line, and exit code 1", () => {
  const cases: readonly (readonly [string, RegExp, () => Promise<unknown>])[] = [
    ["a backup over a file", /x\.db already exists/, () => marquee("backup", folder.database)],
    [
      "a restore of a text",
      /the backup \S+\/text is not an SQLite database/,
      () => {
        const text = join(folder.path, "text");
        writeFileSync(text, "no database");
        return runCommand("restore", text, "--database", `sqlite:${folder.path}/new.db`);
      },
    ],
    [
      "a restore of a folder",
      /the backup \S+ is not an SQLite database/,
      () => runCommand("restore", folder.path, "--database", `sqlite:${folder.path}/new.db`),
    ],
    [
      "a backup of nothing",
      /--database: no such file or directory: /,
      () => {
        folder = { ...folder, database: `${folder.database}-not` };
        return marquee("backup", file);
      },
    ],
  ];
  test.each(cases)("%s", async (_, want, act) => {
    const got = await act();
    expect(got).toMatchObject({ code: 1, stdout: "" });
    expect(got).toMatchObject({ stderr: expect.stringMatching(/^marquee: [^\n]+\n$/) });
    expect(got).toMatchObject({ stderr: expect.stringMatching(want) });
    const left = readdirSync(folder.path).filter((it) => /partial|restoring|before/.test(it));
    expect(left).toEqual([]);
  });
});

describe("a bad setting is reported in one line", () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ["backup", "a", "--database", "postgres://u:secret@h/d"],
      /^--database must be sqlite:PATH for backup$/,
    ],
    [["backup", "a", "--database", "sqlite:"], /^--database must be sqlite:PATH for backup$/],
    [
      ["restore", "a", "--database", "postgres://u:secret@h/d"],
      /^--database must be sqlite:PATH for restore$/,
    ],
  ];
  for (const [args, want] of cases) {
    test(args.join(" "), () => {
      expect(() => parseCommand(args)).toThrow(ConfigError);
      expect(() => parseCommand(args)).toThrow(want);
    });
  }

  test("and of another kind of database the password is not shown", () => {
    const env = { MARQUEE_DATABASE: "postgres://u:secret@h/d" };
    expect(() => parseCommand(["backup", "a"], env)).toThrow(/^(?!.*secret)/);
    expect(parseCommand(["restore", "a"], { MARQUEE_REPLACE: "true" })?.config).toMatchObject({
      replace: true,
    });
  });
});
