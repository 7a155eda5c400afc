import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands/index.ts";
import { complete } from "../../src/cli/completion.ts";
import { runCommand } from "../harness/command.ts";
import { ROOT, run } from "../harness/process.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"];

describe("the last word is completed", () => {
  test.each<[words: string[], want: string[] | "files"]>([
    [["s"], ["serve", "schema"]],
    [["--h"], ["--help"]],
    [["nothing", ""], []],
    [["nothing", "serve", ""], []],
    [["toString", ""], []],
    [["token", "re"], ["revoke"]],
    [["help", "tok"], ["token"]],
    [["help", "token", "c"], ["create"]],
    [["help", "token", "create", ""], []],
    [["help", "--"], []],
    [["serve", "--log-l"], ["--log-level"]],
    [
      ["serve", "--log-level", ""],
      ["silent", "error", "warn", "info", "debug"],
    ],
    [["serve", "--log-level", "d"], ["debug"]],
    [["serve", "--log-level=d"], ["--log-level=debug"]],
    [["serve", "--log-level", "=", "d"], ["debug"]],
    [
      ["serve", "--log-level", "="],
      ["silent", "error", "warn", "info", "debug"],
    ],
    [["serve", "--demo-file", ""], "files"],
    [["serve", "--country-database=a"], "files"],
    [
      ["serve", "--demo", "--demo"],
      ["--demo-file", "--demo-goals"],
    ],
    [["serve", "--database-replica", "a", "--database-"], ["--database-replica"]],
    [["export", "--project", ""], []],
    [["export", "--project", "p", ""], "files"],
    [["import", ""], "files"],
    [["import", "-", "--dry"], ["--dry-run"]],
    [
      ["init", "--account", "a", "-"],
      ["--database", "--organization", "--organization-id", "--json", "--help"],
    ],
    [["import", "a.ndjson", "--into"], ["--into-project"]],
    [
      ["import", "--kind", "e"],
      ["entity", "event"],
    ],
    [["complete", ""], SHELLS],
  ])("%j: %j", (words, want) => {
    const got = complete(COMMANDS, words);
    expect(got === "files" ? got : got.map(([word]) => word)).toEqual(want);
  });

  test("of nothing by every command, with its summary", () => {
    const want = Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary]);
    expect(complete(COMMANDS, [""])).toEqual([
      ...want,
      ["help", expect.any(String)],
      ["--help", expect.any(String)],
    ]);
  });
});

test("the script of bash needs nothing but bash", async () => {
  const script = `
    source <(bin/marquee complete bash)
    source <(bin/marquee complete bash)
    try() {
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      _marquee
      echo "\${COMPREPLY[*]}"
    }
    try bin/marquee token ""
    try bin/marquee serve --log-level = d
    try bin/marquee import ""
    complete -p marquee
  `;
  const got = await run("bash", ["--norc", "--noprofile", "-c", script], { cwd: ROOT });
  expect(got).toMatchObject({ code: 0, stderr: "" });
  expect(got.stdout.split("\n")).toEqual([
    "create list revoke --help",
    "debug",
    "",
    "complete -o default -F _marquee marquee",
    "",
  ]);
});

test("each shell has a script, and another one is named in one line", async () => {
  for (const shell of SHELLS) {
    const got = await runCommand("complete", shell);
    expect(got).toMatchObject({ code: 0, stdout: expect.stringContaining("complete --") });
  }
  for (const [args, want] of [
    [[], "missing required argument 'shell'; see 'marquee help complete'"],
    [["tcsh"], "SHELL must be bash, zsh, fish, powershell, not 'tcsh'"],
  ] as const) {
    expect(await runCommand("complete", ...args)).toMatchObject({
      ...{ code: 2, stdout: "", stderr: `marquee: ${want}\n` },
    });
  }
});

test("the words of a script are completed by a line each", async () => {
  expect(await runCommand("complete", "--", "token", "li")).toMatchObject({
    ...{ code: 0, stderr: "", stdout: "list\tlist access tokens\n" },
  });
  expect((await runCommand("complete", "--", "import", "")).stdout).toBe(":files\n");
});
