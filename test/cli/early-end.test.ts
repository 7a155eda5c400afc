import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { runCommand, runCommandIn } from "../harness/command.ts";
import { inFile } from "../harness/database-file.ts";
import { MARQUEE, ROOT, run, start } from "../harness/process.ts";
import { copyTemplate } from "../harness/template-databases.ts";
import { useServiceFolder } from "../harness/test-folder.ts";

const folder = useServiceFolder();

const at = (path: string) => ["--database", `sqlite:${path}`];

describe("an export", () => {
  test("whose reader has had enough ends without a word, as head does it", async () => {
    const line = `"${ROOT}bin/marquee" export --project worldcup ${at(folder.database).join(" ")}`;
    const got = await run("bash", ["-c", `${line} | head -1; echo "\${PIPESTATUS[0]}"`]);
    expect(got.stderr).toBe("");
    expect(got.stdout.trimEnd().split("\n")).toEqual([expect.stringMatching(/^\{/), "141"]);
  });

  test("to a directory fails before it begins, also with --force", async () => {
    const path = join(folder.path, "directory");
    mkdirSync(path);
    const got = await runCommand("export", "--project", "worldcup", "--force", path, ...at("/x"));
    expect(got).toMatchObject({ code: 1, stderr: `marquee: ${path} is a directory\n` });
  });

  test("through npm is rejected where its banner would be the first line", async () => {
    const args = ["export", "--project", "sandbox", ...at(folder.database)];
    const env = { npm_lifecycle_event: "marquee" };
    const got = await runCommandIn(env, ...args);
    expect(got).toMatchObject({ code: 2, stdout: "" });
    expect(got.stderr).toMatch(/^marquee: npm writes its banner [^\n]*bin\/marquee\n$/);
    const silent = { ...env, npm_config_loglevel: "silent" };
    expect(await runCommandIn(silent, ...args)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\{.*\}\n$/s),
    });
  });
});

describe("standard output that takes nothing fails a command, which may show a secret once", () => {
  const line = (command: string) =>
    `"${ROOT}bin/marquee" ${command} ${at(folder.database).join(" ")}`;
  const create = "token create --account account-owner";

  test("a full disk: exit code 1 and one line", async () => {
    const got = await run("bash", ["-c", `${line(create)} > /dev/full`]);
    expect(got).toMatchObject({
      code: 1,
      stderr: "marquee: ENOSPC: no space left on device, write\n",
    });
  });

  test("a reader that has ended: exit code 141", async () => {
    const got = await run("bash", ["-c", `${line(create)} | true; exit "\${PIPESTATUS[0]}"`]);
    expect(got).toMatchObject({ code: 141, stderr: "" });
  });

  test("standard error that takes nothing fails none", async () => {
    const file = join(folder.path, "sandbox.ndjson");
    const command = line(`export --project sandbox ${file}`);
    const got = await run("bash", ["-c", `${command} 2> /dev/full`]);
    expect([got.code, existsSync(file)]).toEqual([0, true]);
  });
});

describe("Ctrl-C", () => {
  test("in an import says so, and nothing is imported", async () => {
    const database = join(folder.path, "interrupted.db");
    const importing = start(MARQUEE.program, MARQUEE.args("import", "-", ...at(database)), {
      keepsStdin: true,
    });
    importing.child.stdin?.write('{"organization": {"id": "o", "name": "O"}}\n');
    while (!existsSync(database)) await new Promise((resolve) => setTimeout(resolve, 10));
    importing.child.kill("SIGINT");
    const got = await importing.finished;
    expect([got.code, got.stdout]).toEqual([130, ""]);
    expect(got.stderr).toMatch(
      /\nmarquee: interrupted; an import is written completely or not at all/,
    );
    const store = openSqliteStore(database);
    expect(await store.isEmpty()).toBe(true);
    await store.close();
  });
});

describe("a file that is something else", () => {
  test("is not imported: a directory", async () => {
    const got = await runCommand("import", folder.path, ...at(join(folder.path, "new.db")));
    expect(got.code).toBe(2);
    expect(got.stderr).toBe(`marquee: ${folder.path} is a directory, not a file to import\n`);
  });

  test("stays as it is: the database of another program", async () => {
    const path = join(folder.path, "other.db");
    inFile(path, (it) => it.exec("create table song (title text); pragma user_version = 15"));
    const before = readFileSync(path);
    for (const command of ["serve", "token list"]) {
      const got = await runCommand(...command.split(" "), ...at(path));
      expect(got).toMatchObject({
        code: 1,
        stderr: `marquee: ${path} is not a Marquee database\n`,
      });
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder.path).filter((name) => name.startsWith("other"))).toEqual([
      "other.db",
    ]);
  });

  test("is named: random bytes", async () => {
    const path = join(folder.path, "random.db");
    writeFileSync(path, Buffer.alloc(20_000, "no database "));
    const got = await runCommand("token", "list", ...at(path));
    expect(got).toMatchObject({ code: 1, stderr: `marquee: ${path} is not an SQLite database\n` });
  });
});

test.each([
  ["token", "list"],
  ["token", "create", "--account", "a"],
  ["token", "revoke", "a"],
  ["keys", "list"],
  ["keys", "rotate"],
  ["export", "--project", "p"],
  ["annotations", "export", "--video", "v"],
])("%s %s creates no database at a mistyped path, nor in an empty file", async (...args) => {
  const path = join(folder.path, "mistyped.db");
  const want = `marquee: sqlite:${path} does not exist or is empty; init and serve create it\n`;
  expect(await runCommand(...args, ...at(path))).toMatchObject({ code: 1, stderr: want });
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, "");
  expect(await runCommand(...args, ...at(path))).toMatchObject({ code: 1, stderr: want });
  expect(statSync(path).size).toBe(0);
  rmSync(path);
});

test("a demo that cannot be loaded ends with one line", async () => {
  const path = join(folder.path, "locked.db");
  copyTemplate("empty", path);
  const other = new Database(path);
  other.exec("begin immediate");
  const line = ["serve", "--demo", "--listen", "127.0.0.1:0", "--log-level", "silent"];
  const got = await run(MARQUEE.program, MARQUEE.args(...line, ...at(path)), { cwd: folder.path });
  other.close();
  expect([got.code, got.stdout]).toEqual([1, ""]);
  expect(got.stderr).toMatch(
    /^marquee: the demo cannot be loaded: database unavailable: [^\n]+\n$/,
  );
});

test("a start from a checkout without its packages names the command that installs them", async () => {
  const checkout = join(folder.path, "a checkout");
  mkdirSync(join(checkout, "bin"), { recursive: true });
  mkdirSync(join(checkout, "src"));
  writeFileSync(join(checkout, "src/main.ts"), "");
  const program = join(checkout, "bin/marquee");
  copyFileSync(join(ROOT, "bin/marquee"), program);
  const { code, stdout, stderr } = await run(program, ["serve"]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toBe("marquee: the packages are missing; run 'npm ci' in the checkout\n");
});

test("the files that commands write into a checkout are ignored by git", () => {
  const names = ["marquee-backup.db", "backup.db.partial", "sandbox.ndjson", "data/demo.json"];
  const ignored = execFileSync("git", ["check-ignore", "--no-index", ...names], { cwd: ROOT });
  expect(ignored.toString().trimEnd().split("\n")).toEqual(names);
});
