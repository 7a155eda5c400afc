import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createToken, type TokenKind } from "../../src/auth/token.ts";
import type { CommandSpec, Commands } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/commands/index.ts";
import { SERVE } from "../../src/cli/commands/serve.ts";
import { describeFailure } from "../../src/cli/failure.ts";
import { ConfigError, type SettingTable, variableOf } from "../../src/cli/setting.ts";
import { openPlaceDatabases } from "../../src/network/address-database.ts";
import { parseCommand, runCommand, runCommandIn } from "../harness/command.ts";
import { send } from "../harness/http.ts";
import { silentLog } from "../harness/marquee.ts";
import { MARQUEE, ROOT, run } from "../harness/process.ts";
import { serveProcess } from "../harness/service-process.ts";
import { useServiceFolder } from "../harness/test-folder.ts";

const folder = useServiceFolder();

const marquee = (args: readonly string[]) =>
  run(MARQUEE.program, MARQUEE.args(...args), { cwd: folder.path });

describe("a start that cannot be ends with code 2 and one line", () => {
  test.each<[string[], RegExp, Record<string, string>?]>([
    [["toString"], /unknown command 'toString'/],
    [["serve", "--nothing"], /unknown option '--nothing'; see 'marquee help serve'/],
    [
      ["serve"],
      /MARQUEE_DEMO \(--[a-z-]+\) must be true or false, not 'maybe'/,
      { MARQUEE_DEMO: "maybe" },
    ],
    [["token", "create"], /--account ID is required/],
    [["token", "revoke", "a", "b"], /unexpected argument 'b'/],
  ])("%j", async (args, want, env = {}) => {
    const got = await runCommandIn(env, ...args);
    expectFailure(got, 2);
    expect(got.stderr).toMatch(want);
  });
});

/** Expects nothing but one line, of what failed. */
function expectFailure(got: Awaited<ReturnType<typeof runCommand>>, code: number): void {
  expect([got.code, got.stdout]).toEqual([code, ""]);
  expect(got.stderr).toMatch(/^marquee: [^\n]+\n$/);
}

const POSTGRES = ["--database", "postgres://h/n"];

describe("a bad setting is reported in one line", () => {
  test.each<[string[], RegExp, Record<string, string>?]>([
    [["-x"], /unknown option '-x'/],
    [["extra"], /unexpected argument 'extra'/],
    [["--listen"], /--listen/],
    [["--listen", "8080"], /--listen must be HOST:PORT, such as \S+ or \[::\]:8080, not '8080'/],
    [["--drain-seconds", "3601"], /--drain-seconds must be a number from 0 to 3600, not '3601'/],
    [["--history-days", "0"], /--history-days must be a number from 1 to 3650, not '0'/],
    [["--history-days", "3651"], /--history-days must be a number from 1 to 3650, not '3651'/],
    [["--history-mib", "0"], /--history-mib must be a number from 1 to 1048576, not '0'/],
    [
      ["--history-mib", "1048577"],
      /--history-mib must be a number from 1 to 1048576, not '1048577'/,
    ],
    [["--workers", "0"], /--workers must be a number from 1 to 64, not '0'/],
    [["--workers", "65"], /--workers must be a number from 1 to 64, not '65'/],
    [["--workers", "2", "--demo"], /--demo must not be used with --workers/],
    [["--workers", "2", "--listen", "h:0"], /--workers share a port, so it must not be 0/],
    [["--listen", "h:65536"], /--listen must be HOST:PORT, .*, not 'h:65536'/],
    [["--listen", "::1:80"], /--listen must be HOST:PORT/],
    [["--studio-listen", "x"], /--studio-listen must be HOST:PORT/],
    [["--delivery-listen", ":"], /--delivery-listen must be HOST:PORT/],
    [
      ["--database", "mysql://user:secret@host"],
      /--database must be sqlite:PATH or postgres:\/\/…$/,
    ],
    [["--database", "sqlite:"], /--database must be sqlite:PATH/],
    [["--database", "sqlite:~/marquee.db"], /sqlite:PATH must not begin with ~.*use \$HOME/],
    [["--database-replica", "postgres://h/n"], /^--database-replica needs a --database in Postgre/],
    [
      [...POSTGRES, "--database-replica", "mysql://user:secret@host"],
      /^--database-replica must be postgres:\/\/…$/,
    ],
    [
      [...POSTGRES, "--database-replica", "postgres://a:secret@h/n,sqlite://x"],
      /^--database-replica must be postgres:\/\/…$/,
    ],
    [POSTGRES, /\(--database-replica\) must be/, { MARQUEE_DATABASE_REPLICA: "user:secret@host" }],
    [["--demo=yes"], /--demo/],
    [
      ["--identity-issuers", "x"],
      /--identity-issuers must be ISSUER=JWKS_URL, separated by commas$/,
    ],
    [["--identity-issuers", "a=file:///x"], /--identity-issuers must be/],
    [["--identity-issuers", "=https://x"], /--identity-issuers must be/],
    [["--identity-issuers", "a=https://x, b=https://x"], /--identity-issuers must be ISSUER=/],
    [["--identity-issuers", "a=https://x,a=https://y"], /--identity-issuers names 'a' twice/],
    [["--primary-issuer", "a"], /--primary-issuer must be one of --identity-issuers, not 'a'/],
    [["--demo-goals", "5"], /^--demo-goals needs --demo$/],
    [["--demo-goals", "3601"], /--demo-goals must be a number from 0 to 3600, not '3601'/],
    [["--playlist-ttl", "9"], /--playlist-ttl must be a number from 10 to 604800, not '9'/],
    [["--playlist-ttl", "1e3"], /--playlist-ttl must be a number .*not '1e3'/],
    [["--playlist-ttl", "30"], /--playlist-ttl must be more than --keep-alive/],
    [["--keep-alive", "4"], /--keep-alive must be a number from 5 to 3600, not '4'/],
    [["--max-streams", "0"], /--max-streams must be a number from 1 to 1000, not '0'/],
    [["--max-streams", "-1"], /--max-streams must be a number from 1 to 1000, not '-1'/],
    [["--cache-mib", "-1"], /--cache-mib must be a number of MiB from 0 to 99999, not '-1'/],
    [
      ["--lisen", "h:1"],
      /^unknown option '--lisen'; did you mean --listen\? See 'marquee help serve'$/,
    ],
    [
      ["--port", "80"],
      /^unknown option '--port'; did you mean --listen\? See 'marquee help serve'$/,
    ],
    [["-p", "80"], /^unknown option '-p'; did you mean --listen\?/],
    [["--port=80"], /^unknown option '--port'; did you mean --listen\?/],
    [["--studio=false"], /^option '--studio' takes no value; see 'marquee help serve'$/],
    [["--databas=sqlite:'x'"], /^unknown option '--databas'; see 'marquee help serve'$/],
    [
      ["--database", "sqlite::memory:"],
      /^sqlite:PATH must be the path of a file; a database in memory/,
    ],
    [["--database", "sqlite:file:x?mode=memory"], /^sqlite:PATH must be the path of a file/],
    [
      ["--studio-origins", "admin.example"],
      /--studio-origins must be origins .*not 'admin.example'/,
    ],
    [["--studio-origins", "https://a.example/"], /--studio-origins must be origins/],
    [["--log-level", "loud"], /--log-level must be .*not 'loud'/],
    [["--trusted-proxies", "10.0.0.0/33"], /--trusted-proxies must be .*not '10.0.0.0\/33'/],
    [["--trusted-proxies", "::1, proxy"], /--trusted-proxies must be .*not 'proxy'/],
    [["--country-header", "x y"], /--country-header must be the name of a header, not 'x y'/],
    [["--vpn-header", "x:"], /--vpn-header must be the name of a header, not 'x:'/],
    [[], /MARQUEE_LISTEN \(--listen\) must be HOST:PORT, .*, not 'x'/, { MARQUEE_LISTEN: "x" }],
    [
      [],
      /MARQUEE_NO_REFLECTION \(--[a-z-]+\) must be true or false/,
      { MARQUEE_NO_REFLECTION: "2" },
    ],
  ])("serve %j: %s", (args, want, env = {}) => {
    expectOneLine(() => parseCommand(["serve", ...args], env), want);
  });

  test.each<[string[], RegExp]>([
    [["create", "--account", "a", "--days", "0"], /--days must be .*not '0'/],
    [["create", "--account", "a", "--days", "1.5"], /--days must be .*not '1.5'/],
    [["create", "--account", "a", "--days", "100000"], /--days must be .*not '100000'/],
  ])("token %j: %s", (args, want) => {
    expectOneLine(() => parseCommand(["token", ...args]), want);
  });
});

describe("no error quotes a secret", () => {
  const SECRET = "hunter2";
  /** Values with a password, each malformed for some settings. */
  const MARKED = [
    `https://user:${SECRET}@host:bad`,
    `https://user:${SECRET}@host`,
    `postgres://user:${SECRET}@host:bad/name`,
    `sqlite:file:user:${SECRET}@host`,
    `issuer=https://user:${SECRET}@host:bad`,
  ];

  /** Secrets without a mark of one, in the settings that take a credential or a URL. */
  const BARE = [
    SECRET,
    `${SECRET} `,
    `${SECRET}\n`,
    `https:/host?key=${SECRET}`,
    `sqlite::${SECRET}`,
  ];
  const SECRET_SETTINGS = [
    ...["access-token", "database", "database-replica", "from", "identity-issuers", "to", "url"],
  ];
  /** Tokens, which no setting quotes. */
  const TOKENS = ["access", "public", "preview"].map((kind) => createToken(kind as TokenKind));

  test("whatever setting has it, by a flag, a misspelled flag or a variable", () => {
    const failures: { readonly flag: string; readonly message: string }[] = [];
    for (const [words, { settings, argument }] of listCommands(COMMANDS)) {
      const env = Object.fromEntries(listRequired(settings).map((flag) => [variableOf(flag), "x"]));
      const line = argument === undefined ? words : [...words, "file"];
      for (const flag of Object.keys(settings)) {
        const values = [...MARKED, ...TOKENS, ...(SECRET_SETTINGS.includes(flag) ? BARE : [])];
        for (const value of values) {
          const messages = [
            failureOf([...line, `--${flag}=${value}`], env),
            failureOf([...line, `--${flag}-x=${value}`], env),
            failureOf(line, { ...env, [variableOf(flag)]: value }),
          ];
          failures.push(...messages.flatMap((message) => (message ? { flag, message } : [])));
        }
      }
    }
    const secrets = [SECRET, ...TOKENS.map((it) => it.slice(4))];
    const isQuoting = (message: string) => secrets.some((it) => message.includes(it));
    expect(failures.filter(({ message }) => isQuoting(message))).toEqual([]);
    const rejecting = new Set(
      failures.filter(({ message }) => / must be /.test(message)).map(({ flag }) => flag),
    );
    expect([...rejecting]).toEqual(expect.arrayContaining(SECRET_SETTINGS));
  });

  test.each([
    [["keys", "list", "--database", `postgres://user:${SECRET}@127.0.0.1:1/name`]],
    [["changes", "list", "--project", "p", "--url", "http://127.0.0.1:1"]],
  ])("%j, where nothing responds", async (args) => {
    const got = await runCommandIn({ MARQUEE_ACCESS_TOKEN: `mqa_${SECRET}` }, ...args);
    expectFailure(got, 1);
    expect(got.stderr).not.toContain(SECRET);
  });
});

/** Returns the message of a command line that is rejected. */
function failureOf(args: readonly string[], env: Record<string, string>): string | undefined {
  try {
    parseCommand(args, env);
    return undefined;
  } catch (cause) {
    return describeFailure(cause);
  }
}

describe("a failed system call names the flag or argument that it is about", () => {
  const file = import.meta.filename;
  test.each<[string[], string]>([
    [["import", "nowhere.ndjson"], "<file>: no such file or directory: 'nowhere.ndjson'"],
    [["import", "no/records.ndjson"], "<file>: no such folder: 'no'"],
    [["restore", "nowhere.db"], "<file>: no such file or directory: 'nowhere.db'"],
    [["schema", "no/schema.binpb"], "<file>: no such folder: 'no'"],
    [
      ["init", "--organization", "a", "--database", `sqlite:${file}/x.db`],
      `--database: not a directory: '${file}/x.db'`,
    ],
    // The working directory: the default of --account could be a path below it.
    [
      ["init", "--organization", "a", "--database", `sqlite:${ROOT}`],
      `--database: illegal operation on a directory: '${ROOT}'`,
    ],
    [
      ["serve", "--listen", "nowhere.invalid:80"],
      "--listen: unknown node or service: nowhere.invalid:80",
    ],
  ])("%j", async (args, want) => {
    const got = await runCommand(...args);
    expectFailure(got, 1);
    expect(got.stderr).toContain(want);
  });

  test("the longest path that fits names it, and a database the folder that it needs", () => {
    const cause = Object.assign(new Error("x"), { syscall: "open", code: "EACCES", errno: -13 });
    const inputs = new Map<string, unknown>([
      ["--database", { engine: "sqlite", path: "/etc/a.db" }],
      ["<file>", "/etc/a.db.copy"],
    ]);
    const describe = (path: string) => describeFailure(Object.assign(cause, { path }), inputs);
    expect(describe("/etc/a.db.copy.partial")).toBe("<file>: permission denied: '/etc/a.db.copy'");
    expect(describe("/etc/a.db-wal")).toBe("--database: permission denied: '/etc/a.db'");
    expect(describe("/etc")).toBe("--database: permission denied: '/etc/a.db'");
    expect(describe("/var")).toBe("x");
  });

  test("the full disk is that of the copy", () => {
    const failure = { syscall: "copyfile", code: "ENOSPC", errno: -28, path: "/mnt/b.db" };
    const cause = Object.assign(new Error("x"), failure, { dest: "/etc/a.db.restoring" });
    const inputs = new Map<string, unknown>([
      ["--database", { engine: "sqlite", path: "/etc/a.db" }],
      ["<file>", "/mnt/b.db"],
    ]);
    expect(describeFailure(cause, inputs)).toBe("--database: no space left on device: '/etc/a.db'");
  });
});

describe("of every command", () => {
  for (const [words, { settings, argument, examples }] of listCommands(COMMANDS)) {
    const [[example = ""] = []] = examples;
    const parse = (args: readonly string[]) => () => parseCommand([...words, ...args]);
    const valid = example.split(" ").slice(words.length);

    test(`${words.join(" ")}: other options and arguments are named, and what is missing`, () => {
      expectOneLine(
        parse([...valid, "--nothing"]),
        /^unknown option '--nothing'; see 'marquee help /,
      );
      expectOneLine(parse([...valid, "extra", "extra"]), /^unexpected argument 'extra'$/);
      const required = listRequired(settings);
      if (required.length > 0) {
        const [first] = required;
        expectOneLine(parse(["a"].slice(argument ? 0 : 1)), RegExp(`^--${first} .* is required$`));
      }
      const flags = required.flatMap((flag) => [`--${flag}`, "x"]);
      const isMissing = argument?.[0].startsWith("<");
      if (isMissing)
        expectOneLine(parse(flags), /^missing required argument '\w+'; see 'marquee help /);
    });

    if (!("database" in settings)) continue;
    test(`${words.join(" ")}: another kind of database is named without its password`, () => {
      const want = /^(?!.*secret).* must be sqlite:PATH/;
      for (const url of ["mysql://u:secret@h/d", "sqlite:", "secret"]) {
        expectOneLine(parse([...valid, "--database", url]), want);
      }
    });
  }
});

const readServe = (args: readonly string[], env: Record<string, string>) =>
  parseCommand(["serve", ...args], env)?.config;

function expectOneLine(read: () => unknown, want: RegExp): void {
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(want);
  expect(read).toThrow(/^[^\n]+$/);
}

test("replicas are read from repeated flags, or from a variable with commas", () => {
  const [first, second] = ["postgres://u:p@a/n?options=-c%20x=1,2", "postgresql://b/n"];
  const want = [first, second].map((url) => ({ engine: "postgres", url }));
  const flags = ["--database-replica", first, "--database-replica", second];
  expect(readServe([...POSTGRES, ...flags], {})).toHaveProperty("databaseReplica", want);
  const env = { MARQUEE_DATABASE_REPLICA: `${first}, ${second},` };
  expect(readServe(POSTGRES, env)).toHaveProperty("databaseReplica", want);
  expect(readServe(POSTGRES, {})).toHaveProperty("databaseReplica", []);
});

test.each([
  ["postgres://u:pa/ss#w?rd@h/n", /must be postgres:.*percent-encoded$/],
  ["postgres://h/n?sslmod=verify-full", /has an unknown parameter; did you mean 'sslmode'\?$/],
  ["postgres://h/n?ssl_mode=require", /did you mean 'sslmode'/],
  ["postgres://@/n?prepares=false", /did you mean 'prepare'\?$/],
  ["postgres://@/n?prepare=no", /has an unknown prepare 'no'; known: true, false$/],
  ["postgres://h/n?sslmode=disabled", /has an unknown sslmode 'disabled'; known: disable, allow, /],
])("a connection string that pg would read in another way is rejected: %s", (url, want) => {
  expectOneLine(() => readServe(["--database", url], {}), want);
  expectOneLine(() => readServe([...POSTGRES, "--database-replica", url], {}), want);
});

test("parameters of other clients are passed on", () => {
  const url = "postgres://u@h/n?sslmode=verify-full&channel_binding=require&connect_timeout=5";
  expect(readServe(["--database", url], {})).toHaveProperty("database.url", url);
});

test("the limits of the history are read at their ends", () => {
  expect(readServe([], {})).toMatchObject({ retention: { historyDays: 90, historyMib: 1_024 } });
  for (const [historyDays, historyMib] of [
    [1, 1],
    [3_650, 1_048_576],
  ]) {
    const args = ["--history-days", `${historyDays}`, "--history-mib", `${historyMib}`];
    expect(readServe(args, {})).toMatchObject({ retention: { historyDays, historyMib } });
  }
});

describe("settings of a viewer's place", () => {
  test("are read", () => {
    const args = [
      ...["--trusted-proxies", "10.0.0.0/8, ::1,", "--country-header", "X-Country"],
      ...["--country-database", "a.mmdb", "--anonymous-ip-database", "b.mmdb"],
    ];
    expect(readServe(args, { MARQUEE_VPN_HEADER: "X-Vpn" })).toHaveProperty("location", {
      trustedProxies: [
        { address: "10.0.0.0", prefix: 8 },
        { address: "::1", prefix: 128 },
      ],
      countryHeader: "X-Country",
      countryDatabase: "a.mmdb",
      anonymousIpDatabase: "b.mmdb",
      vpnHeader: "X-Vpn",
    });
  });

  test("are absent without a word", () => {
    expect(readServe([], {})).toHaveProperty("location", { trustedProxies: [] });
  });
});

test("settings of playback are read, in seconds, and have the defaults of the service", () => {
  expect(readServe([], {})).toHaveProperty("playbackLimits", {
    ...{ playlistTtl: 21_600_000, keepAliveInterval: 30_000, maxStreams: 3 },
  });
  const args = ["--playlist-ttl", "600", "--keep-alive", "10"];
  expect(readServe(args, { MARQUEE_MAX_STREAMS: "7" })).toHaveProperty("playbackLimits", {
    ...{ playlistTtl: 600_000, keepAliveInterval: 10_000, maxStreams: 7 },
  });
});

describe.concurrent("a start that fails ends with code 1 and one line", () => {
  test("where the file of a setting cannot be read", async () => {
    const got = await marquee([
      ...["serve", "--listen", "127.0.0.1:0", "--anonymous-ip-database", "/nowhere/x.mmdb"],
      ...["--database", `sqlite:${folder.path}/place.db`],
    ]);
    expectFailure(got, 1);
    expect(got.stderr).toContain(
      "--anonymous-ip-database: '/nowhere/x.mmdb' cannot be read: no such folder: '/nowhere'\n",
    );
  });

  test.each([
    ["the port", (port: number) => ["--listen", `127.0.0.1:${port}`]],
    [
      "a second listener's port",
      (port: number) => ["--listen", "127.0.0.1:0", "--studio-listen", `127.0.0.1:${port}`],
    ],
  ])("where %s is taken", async (name, toArgs) => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const database = `${folder.path}/${name.length}.db`;
    const args = toArgs(port);
    const got = await marquee(["serve", ...args, "--database", `sqlite:${database}`]);
    other.close();
    expectFailure(got, 1);
    expect(got.stderr).toContain(`${args.at(-2)}: address already in use: 127.0.0.1:${port}; `);
    expect(existsSync(database)).toBe(false);
  });
});

describe("a start that fails before it has opened anything ends with code 1 and one line", () => {
  test.each([
    ["cannot be opened", "/dev/null/x.db"],
    ["is no database", import.meta.filename],
  ])("where the database %s", async (_, path) => {
    expectFailure(await runCommand("serve", "--database", `sqlite:${path}`), 1);
  });

  test.each([
    ["--country-database", "countryDatabase"],
    ["--anonymous-ip-database", "anonymousIpDatabase"],
  ])("where the file of %s is not there, or is something else", async (setting, name) => {
    for (const [file, problem] of [
      ["/nowhere/x.mmdb", "cannot be read"],
      [import.meta.filename, "is not in MaxMind's format"],
    ] as const) {
      const opening = openPlaceDatabases({ [name]: file }, silentLog());
      const text = describeFailure(await opening.catch((cause: unknown) => cause));
      expect(text).toMatch(/^[^\n]+$/);
      expect(text).toContain(`${setting}: '${file}' ${problem}: `);
    }
  });
});

/** Lists the flags that must be given. */
function listRequired(settings: SettingTable): string[] {
  const required = Object.entries(settings).filter(([, { isRequired }]) => isRequired);
  return required.map(([flag]) => flag);
}

/** Lists the commands with the words that call them. */
function listCommands(
  commands: Commands,
): (readonly [words: readonly string[], spec: CommandSpec])[] {
  return Object.entries(commands).flatMap(([name, it]) =>
    "commands" in it
      ? listCommands(it.commands).map(([words, spec]) => [[name, ...words], spec] as const)
      : [[[name], it] as const],
  );
}

describe("help", () => {
  test("of a command of a group has two names, and fits in 80 columns", async () => {
    const [one, other] = [
      await runCommand("help", "token", "create"),
      await runCommand("help", "serve"),
    ];
    expect(one.stdout).toBe((await runCommand("token", "create", "--help")).stdout);
    for (const line of other.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(other.stdout).toMatch(/^Proxies and viewer location:$/m);
  });

  for (const args of [[], ["-h"], ["--help"], ["help"]]) {
    test(`by '${args.join(" ")}' lists the commands and fits on a screen`, async () => {
      const { code, stdout, stderr } = await runCommand(...args);
      expect([code, stderr]).toEqual([0, ""]);
      for (const [name, { summary }] of Object.entries(COMMANDS)) {
        expect(stdout).toContain(`\n  ${name} `);
        expect(stdout.replace(/\s+/g, " ")).toContain(summary);
      }
      expect(stdout).toContain("Exit codes:");
      expect(stdout.split("\n").length).toBeLessThan(50);
    });
  }

  for (const [words, { settings, summary, examples }] of listCommands(COMMANDS)) {
    test(`of ${words.join(" ")} describes its settings and no others, and gives examples that work`, async () => {
      const { code, stdout, stderr } = await runCommand(...words, "--help");
      expect([code, stderr]).toEqual([0, ""]);
      const text = stdout.replace(/\s+/g, " ");
      expect(text).toContain(summary);
      for (const [flag, { fallback, help, isRequired }] of Object.entries(settings)) {
        expect(text).toContain(`--${flag}`);
        expect(text).toContain(help);
        expect(text).toContain(`env: ${variableOf(flag)}`);
        if (isRequired) expect(text).toContain(`${help} (required`);
        if (fallback !== undefined) expect(text).toContain(`default: ${fallback}`);
      }
      expect(stdout.match(/^ +(-h, )?--/gm)).toHaveLength(Object.keys(settings).length + 1);
      expect(examples.length).toBeGreaterThan(0);
      for (const [line] of examples) {
        expect(stdout).toContain(`  marquee ${line}\n`);
        expect(line.split(" ").slice(0, words.length)).toEqual(words);
        // A token is in the variable, and not in an example.
        const env = { MARQUEE_ACCESS_TOKEN: "mqa_x" };
        expect(parseCommand(line.split(" "), env)).toBeDefined();
      }
    });
  }

  test("of a group lists its commands, whose mistypes are suggested", async () => {
    expect((await runCommand("token", "-h")).stdout).toMatch(/ create .*\n +list .*\n +revoke /s);
    for (const [args, want] of [
      [["token"], "token needs a command: create, list or revoke; see 'marquee help token'"],
      [["token", "lst"], "unknown command 'lst'; did you mean list? See 'marquee help token'"],
      [["serv"], "unknown command 'serv'; did you mean serve? See 'marquee help'"],
      [["help", "serv"], "unknown command 'serv'; did you mean serve? See 'marquee help'"],
      [
        ["help", "token", "lst"],
        "unknown command 'lst'; did you mean list? See 'marquee help token'",
      ],
    ] as const) {
      expect(await runCommand(...args)).toMatchObject({ code: 2, stderr: `marquee: ${want}\n` });
    }
  });

  test("prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    for (const flag of ["-V", "--version"]) {
      expect(await runCommand(flag)).toMatchObject({ code: 0, stdout: `${version}\n` });
    }
  });
});

describe("environment variables", () => {
  test("set what flags set, a flag wins, and an empty one is as if it were not set", async () => {
    const service = await serveProcess(folder, [], {
      MARQUEE_LISTEN: "256.0.0.1:1",
      MARQUEE_DATABASE: "sqlite:/dev/null/x.db",
      MARQUEE_DEMO: "0",
      MARQUEE_STUDIO_LISTEN: "127.0.0.1:0",
      MARQUEE_DELIVERY_LISTEN: "",
      MARQUEE_IDENTITY_ISSUERS: "",
      MARQUEE_NO_REFLECTION: "true",
      MARQUEE_LOG_LEVEL: "silent",
    });
    expect(service.studioUrl).not.toBe(service.deliveryUrl);
    const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    expect((await send("POST", service.studioUrl + path)).status).toBe(404);
    expect((await send("GET", `${service.deliveryUrl}/healthz`)).status).toBe(200);
    expect((await send("GET", `${service.studioUrl}/healthz`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.stderr()).toBe("");
  });

  test("that are empty leave every default", () => {
    const names = Object.keys(SERVE.settings).map(
      (flag) => `MARQUEE_${flag.toUpperCase().replaceAll("-", "_")}`,
    );
    const env = Object.fromEntries(names.map((name) => [name, ""]));
    expect(readServe([], env)).toEqual(readServe([], {}));
  });

  test("without a flag the variables alone are enough", async () => {
    const env = { MARQUEE_DATABASE: `sqlite:${folder.path}/none.db` };
    const got = await runCommandIn(env, "token", "list");
    expect(got.code).toBe(1);
    expect(got.stderr).toMatch(/none\.db does not exist/);
  });

  test("that are no settings are warned of, but those of Kubernetes", async () => {
    const env = {
      MARQUEE_LISTN: "h:1",
      MARQUEE_SERVICE_HOST: "10.0.0.1",
      MARQUEE_SERVICE_PORT_HTTP: "80",
      MARQUEE_PORT: "tcp://10.0.0.1:80",
      MARQUEE_PORT_80_TCP_ADDR: "10.0.0.1",
      MARQUEE_LOG_LEVEL: "info",
    };
    const args = ["token", "list", "--database", `sqlite:${folder.path}/none.db`];
    const got = await runCommandIn(env, ...args);
    const [warning, ...others] = got.stderr.split("\n");
    expect(warning).toBe(
      "marquee: warning: unknown setting MARQUEE_LISTN; did you mean MARQUEE_LISTEN?",
    );
    expect(others).toEqual([expect.stringMatching(/does not exist/), ""]);
  });
});
