import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ROOT } from "./process.ts";

/** A shell block of the README. */
export interface ReadmeBlock {
  /** The heading above it; empty above the first. */
  readonly section: string;
  readonly text: string;
}

/** What a reader has after typing every block of the README. */
export interface ReadmeWalk {
  /** The folder of the clone. */
  readonly folder: string;
  /** The values of the shell's variables in the end. */
  readonly variables: Readonly<Record<string, string>>;
  /** What the blocks of a section wrote to standard output, in order. */
  printed(section: string): readonly string[];
  /** Writes other addresses in the places of those that the README names, as the walk did. */
  localize(text: string): string;
  close(): Promise<void>;
}

/** Lists the shell blocks of the README, in order. */
export function readBlocks(readme: string): ReadmeBlock[] {
  let section = "";
  return Array.from(
    readme.matchAll(/^## (.*)$|^```sh\n([\s\S]*?)^```$/gm),
    ([, heading, text]) => ({ heading, text }),
  ).flatMap(({ heading, text }) => {
    section = heading ?? section;
    return text === undefined ? [] : [{ section, text }];
  });
}

/** A server: it goes on in a terminal of its own. */
const SERVER = /^(?:npm ci && )?(npm (?:start|run (?:-s )?marquee -- serve\b).*)$/;

/** A script for who works on the product: what it runs is tested by itself, or is this test. */
const DEVELOPMENT = /^(?:npm ci && )?npm (?:(test)|run (?!(?:-s )?marquee\b)([\w:]+))\b.*$/;

/** Names the npm scripts of a block that are not run. */
export function listDevelopmentScripts({ text }: ReadmeBlock): string[] {
  return text.split("\n").flatMap((line) => {
    const [, test, script] = DEVELOPMENT.exec(line) ?? [];
    return test ?? script ?? [];
  });
}

/**
 * Types every shell block of the README from top to bottom into one shell, in a fresh copy of this tree with
 * its packages linked instead of `npm ci`. Three things are not as typed: the ports are free ones, a server goes
 * on in the background until the end, and `curl` fails where the answer is no success. Throws with the block
 * and what it wrote if a command fails.
 */
export async function walkReadme(blocks: readonly ReadmeBlock[]): Promise<ReadmeWalk> {
  const base = mkdtempSync(join(tmpdir(), "marquee-clone-"));
  const folder = join(base, "marquee");
  const logs = join(base, "logs");
  const tools = join(base, "tools");
  for (const path of [logs, tools]) mkdirSync(path);
  const left = new Set(["node_modules", ".git", "data", ".generated"]);
  cpSync(ROOT, folder, { recursive: true, filter: (path) => !left.has(relative(ROOT, path)) });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const path = process.env.PATH ?? "";
  const curl = `#!/bin/sh\nPATH='${path}'\nexec curl --fail-with-body "$@"\n`;
  writeFileSync(join(tools, "curl"), curl, { mode: 0o755 });

  const ports = await findPorts(blocks.map((it) => it.text).join("\n"));
  const localize = (text: string) =>
    text.replace(/127\.0\.0\.1:(\d+)/g, (_, port) => `127.0.0.1:${ports.get(port) ?? port}`);
  const script = [
    "set -eu",
    ...blocks.map(({ text }, index) => toScript(localize(text), index, logs)),
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
      throw new Error(`a block of the README fails:\n${message}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const variables = Array.from(
    read("variables", "").matchAll(/^(\w+)='?([^'\n]*)'?$/gm),
    ([, name, value]) => [name, value],
  );
  return {
    folder,
    variables: Object.fromEntries(variables),
    printed: (section) =>
      blocks.flatMap((it, index) => (it.section === section ? [read(index, ".out")] : [])),
    localize,
    close,
  };
}

/** Writes the script of a block: it says where it is, and its output is kept. */
function toScript(text: string, index: number, logs: string): string {
  const path = (end: string) => `'${join(logs, `${index}${end}`)}'`;
  const lines = text.split("\n").map((line) => {
    if (DEVELOPMENT.test(line)) return ":";
    const [, server] = SERVER.exec(line) ?? [];
    if (server === undefined) return line;
    // The demo has answered when it has printed what to paste.
    const ready = server.startsWith("npm start") ? "Explore the schema" : "Marquee answers";
    return [
      `${server} > ${path(".log")} 2>&1 &`,
      `server=$!; until grep -q '${ready}' ${path(".log")}; do kill -0 $server; sleep 0.1; done`,
    ].join("\n");
  });
  const at = `echo ${index} > '${join(logs, "at")}'`;
  return [at, `exec > ${path(".out")} 2> ${path(".err")}`, ...lines].join("\n");
}

/** Finds a free port for each that a text names. */
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
