import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { runCommandIn } from "../harness/command.ts";
import { createFolder } from "../harness/folder.ts";
import { ROOT } from "../harness/process.ts";
import type { PageBlock } from "./pages.ts";

/** The state after every block was typed. */
export interface PageWalk {
  /** The folder of the copy. */
  readonly folder: string;
  /** The variables of the first page's shell. */
  readonly variables: Readonly<Record<string, string>>;
  /** Returns what the blocks of a page, or of one of its sections, wrote to standard output, in order. */
  printed(page: string, section?: string): readonly string[];
  /** Returns what a block wrote to standard output, or the server that it started. */
  outputOf(block: PageBlock): string;
  /** Replaces the addresses that the pages name by those of the walk. */
  localize(text: string): string;
  close(): Promise<void>;
}

/** Starts a server, which runs on in a terminal of its own. */
const SERVER = /^(?:npm ci && )?((?:npm start|bin\/marquee serve\b).*)$/;

/** Installs packages, which are linked here, or runs a script for developers, which has tests of its own. */
const SKIPPED = /^(?:npm ci && )?npm (?:ci(?: --\S+)*|test|run [\w:]+.*)$/;

/**
 * Types every shell block into a shell, in order, in a fresh copy of this tree. The blocks of the first page
 * share one shell; every other page has a shell of its own, which knows the variables of the first only.
 *
 * Four things differ from what is typed: ports are free ones, a server runs in the background until its page ends,
 * other commands of `bin/marquee` run in this process, which saves their start, and `curl` fails unless the response
 * is a success or the page shows it. Throws with the block and its output if a command fails. The programs of the folder
 * `bin`, such as another Node, are found first.
 */
export async function walkPages(
  blocks: readonly PageBlock[],
  { bin }: { readonly bin?: string | undefined } = {},
): Promise<PageWalk> {
  const base = createFolder().path;
  const folder = join(base, "marquee");
  const logs = join(base, "logs");
  const tools = join(base, "tools");
  for (const path of [logs, tools]) mkdirSync(path);
  for (const path of listFiles()) cpSync(join(ROOT, path), join(folder, path));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const path = [...(bin === undefined ? [] : [bin]), process.env.PATH].join(":");
  const curl = `#!/bin/sh\nPATH='${path}'\nexec curl $CURL_FAILS "$@"\n`;
  writeFileSync(join(tools, "curl"), curl, { mode: 0o755 });
  // The pages run one package by `npx -y`, which is installed here.
  const npx = `#!/bin/sh\nshift 2\nexec '${join(ROOT, "tools/programs/run")}' buf "$@"\n`;
  writeFileSync(join(tools, "npx"), npx, { mode: 0o755 });
  const commands = await listenForCommands(folder, join(base, "commands"));

  const ports = await findPorts(blocks.map((it) => it.text).join("\n"));
  const localize = (text: string) =>
    text.replace(/127\.0\.0\.1:(\d+)/g, (_, port) => `127.0.0.1:${ports.get(port) ?? port}`);
  const script = [
    "set -eu",
    ...toShells(
      blocks.map((block) => ({ ...block, text: localize(block.text) })),
      logs,
    ),
    `set > '${join(logs, "variables")}'`,
    `echo done > '${join(logs, "at")}'`,
    // The servers live as long as their shell.
    "wait",
  ].join("\n");
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("MARQUEE_"));
  const shell = spawn("sh", ["-c", script], {
    cwd: folder,
    detached: true,
    stdio: "ignore",
    env: {
      ...Object.fromEntries(kept),
      PATH: `${tools}:${path}`,
      // Every command starts in half the time.
      NODE_COMPILE_CACHE: join(base, "compiled"),
      MARQUEE_LISTEN: localize("127.0.0.1:8080"),
    },
  });
  const exit = once(shell, "exit");
  const read = (name: string | number, end: string) => {
    try {
      return readFileSync(join(logs, `${name}${end}`), "utf8");
    } catch {
      return "";
    }
  };
  async function close(): Promise<void> {
    try {
      process.kill(-(shell.pid ?? 0), "SIGTERM");
    } catch {
      // It has ended.
    }
    await exit;
    commands.close();
    rmSync(base, { recursive: true, maxRetries: 20, retryDelay: 100 });
  }
  let isOver = false;
  exit.then(() => {
    isOver = true;
  });
  while (read("at", "").trim() !== "done") {
    if (isOver) {
      const at = Number(read("at", ""));
      const message = `${blocks[at]?.text}\n${read(at, ".out")}\n${read(at, ".err")}\n${read(at, ".log")}`;
      await close();
      throw new Error(`a block of ${blocks[at]?.page} fails:\n${message}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const variables = Array.from(
    read("variables", "").matchAll(/^(\w+)='?([^'\n]*)'?$/gm),
    ([, name, value]) => [name, value],
  );
  const outputOf = (block: PageBlock) => {
    const index = blocks.indexOf(block);
    return read(index, ".out") || read(index, ".log");
  };
  return {
    folder,
    outputOf,
    variables: Object.fromEntries(variables),
    printed: (page, section) =>
      blocks.flatMap((block, index) => {
        const isMeant = block.page === page && (section === undefined || block.section === section);
        return isMeant ? [read(index, ".out")] : [];
      }),
    localize,
    close,
  };
}

/** Replaces `bin/marquee` of the copy: `serve` and `--version` start it, any other command is sent to this process. */
async function listenForCommands(folder: string, socket: string): Promise<http.Server> {
  const program = join(folder, "bin/marquee");
  renameSync(program, `${program}-start`);
  const script = `#!/bin/sh
case "$1" in serve | --version) exec "$0-start" "$@" ;; esac
done=$({ env -0; printf '\\0'; printf '%s\\0' "$@"; } | curl -sS --unix-socket '${socket}' --data-binary @- http://commands) || exit
eval "$done"
`;
  writeFileSync(program, script, { mode: 0o755 });
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const runFor = async (request: http.IncomingMessage) => {
    const words = (await buffer(request)).toString().split("\0").slice(0, -1);
    const end = words.indexOf("");
    const variables = words.slice(0, end).map((it) => /^([^=]*)=(.*)$/s.exec(it)?.slice(1) ?? []);
    process.chdir(folder);
    const { code, stdout, stderr } = await runCommandIn(
      Object.fromEntries(variables),
      ...words.slice(end + 1),
    ).finally(() => process.chdir(ROOT));
    return `printf %s ${quote(stdout)}; printf %s ${quote(stderr)} >&2; exit ${code}\n`;
  };
  const server = http.createServer((request, response) => {
    runFor(request).then(
      (script) => response.end(script),
      () => response.destroy(),
    );
  });
  await once(server.listen(socket), "listening");
  return server;
}

/** Lists the files of the tree, without those that commands have left in it and Git ignores. */
function listFiles(): readonly string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const paths = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\0");
  return paths.filter((path) => path !== "" && existsSync(join(ROOT, path)));
}

/** Writes the script of each block, in a subshell for each page behind the first, whose server ends with it. */
function toShells(blocks: readonly PageBlock[], logs: string): string[] {
  return blocks.map(({ page, text, output }, index) => {
    const isFirstPage = page === blocks[0]?.page;
    const script = [
      `export CURL_FAILS=${output === undefined ? "--fail-with-body" : ""}`,
      toScript(text, index, logs),
    ].join("\n");
    const begins = !isFirstPage && blocks[index - 1]?.page !== page;
    const ends = !isFirstPage && blocks[index + 1]?.page !== page;
    const end = ends ? '[ -z "$server" ] || kill "$server"\n)' : "";
    return [begins ? "(\nserver=" : "", script, end].join("\n");
  });
}

/** Writes the script of a block: it notes where it is, and keeps its output. */
function toScript(text: string, index: number, logs: string): string {
  const path = (end: string) => `'${join(logs, `${index}${end}`)}'`;
  const lines = text.split("\n").map((line) => {
    if (SKIPPED.test(line)) return ":";
    const [, server] = SERVER.exec(line) ?? [];
    if (server === undefined) return line;
    // The demo has responded when it has printed what to paste.
    const ready = server.startsWith("npm start") ? "Explore the schema" : "Marquee is ready";
    return [
      `${server} > ${path(".log")} 2>&1 &`,
      `server=$!; until grep -q '${ready}' ${path(".log")}; do kill -0 $server; sleep 0.1; done`,
    ].join("\n");
  });
  const at = `echo ${index} > '${join(logs, "at")}'`;
  return [at, `exec > ${path(".out")} 2> ${path(".err")}`, ...lines].join("\n");
}

/** Finds a free port for each one that a text names. */
async function findPorts(text: string): Promise<Map<string, number>> {
  const named = new Set(Array.from(text.matchAll(/127\.0\.0\.1:(\d+)/g), ([, port = ""]) => port));
  const servers = await Promise.all(
    [...named].map(async (port) => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return { port, server };
    }),
  );
  const ports = new Map(
    servers.map(({ port, server }) => [port, (server.address() as AddressInfo).port]),
  );
  await Promise.all(servers.map(({ server }) => once(server.close(), "close")));
  return ports;
}
