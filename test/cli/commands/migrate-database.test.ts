import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConfigError } from "../../../src/cli/setting.ts";
import { openStore } from "../../../src/storage/open.ts";
import { parseCommand, runCommand } from "../../harness/command.ts";
import { createDatabase } from "../../harness/postgres-databases.ts";
import { type Finished, MARQUEE, start } from "../../harness/process.ts";
import type { ServiceFolder } from "../../harness/service-process.ts";
import { createServiceFolder } from "../../harness/test-folder.ts";

let folder: ServiceFolder;
let url: string;
beforeAll(async () => {
  ({ url } = await createDatabase("template0"));
});
beforeEach(() => {
  folder = createServiceFolder();
});

/** The report of a move, with its progress where that is slow. */
const DONE = /^(\d+ %, [^\n]+\n)*comparing\n$/;

const move = (from: string, to: string) => ["migrate-database", "--from", from, "--to", to];

test("a move that is killed at any moment leaves an empty target, and the next one succeeds", async () => {
  const from = `sqlite:${folder.database}`;
  const file = join(folder.path, "target.db");
  for (const [address, to] of [
    [{ engine: "postgres", url }, url],
    [{ engine: "sqlite", path: file }, `sqlite:${file}`],
  ] as const) {
    let killed = 0;
    let done: Finished | undefined;
    for (const delay of [0, 300]) {
      const running = start(MARQUEE.program, MARQUEE.args(...move(from, to)));
      await setTimeout(600 + delay);
      running.child.kill("SIGKILL");
      const ended = await running.finished;
      if (ended.signal !== "SIGKILL") {
        done = ended;
        break;
      }
      killed += 1;
      const store = await openStore(address);
      expect(await store.isEmpty()).toBe(true);
      await store.close();
    }
    expect(killed).toBeGreaterThan(0);
    done ??= await runCommand(...move(from, to));
    expect(done).toMatchObject({ code: 0, stderr: expect.stringMatching(DONE) });
    expect(done.stdout).toMatch(
      /^copied and compared \d+ rows, at migration \d+, in \d+\.\d s\n {2}organization +2\n/,
    );
    const again = await runCommand(...move(from, to));
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toMatch(/^marquee: the target is not empty: table organization has rows/);
  }
});

describe("a rejection is one line, without the password", () => {
  test.each<[string, string, string, RegExp]>([
    [
      "a source that is no file",
      "sqlite:/no/such.db",
      "sqlite:x.db",
      /: sqlite:\/no\/such\.db does not exist or is empty/,
    ],
    [
      "a source that does not respond",
      "postgres://me:hunter2@127.0.0.1:1/x",
      "sqlite:x.db",
      /unavailable: connect ECONNREFUSED/,
    ],
  ])("%s", async (_, from, to, want) => {
    const got = await runCommand(...move(from, to));
    expect(got).toMatchObject({ code: 1, stdout: "" });
    expect(got.stderr).toMatch(/^marquee: (?!.*hunter2)[^\n]+\n$/);
    expect(got.stderr).toMatch(want);
  });

  const settings: readonly (readonly [readonly string[], RegExp])[] = [
    [["--from", "sqlite:a"], /^--to ADDRESS is required$/],
    [
      ["--from", "mysql://u:hunter2@h/d", "--to", "sqlite:b"],
      /^--from must be sqlite:PATH or postgr[^2]+$/,
    ],
    [["--from", "sqlite:b", "--to", "u:hunter2"], /^--to must be sqlite:PATH or postgr[^2]+$/],
  ];
  test.each(settings)("settings %j", (args, want) => {
    expect(() => parseCommand(["migrate-database", ...args])).toThrow(ConfigError);
    expect(() => parseCommand(["migrate-database", ...args])).toThrow(want);
  });
});
