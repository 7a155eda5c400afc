import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";

/** A server in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  /** From the start of the process until it printed its URL, in milliseconds. */
  readonly startTime: number;
  stop(): Promise<void>;
}

/** How a process is started. */
export interface StartOptions {
  /** Standard input. */
  readonly input?: string;
  /** The only core that the process may use; all if absent. */
  readonly core?: number;
  /** File for standard error; if absent, it is shown. */
  readonly errors?: string;
  /** Variables in addition to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a TypeScript file and waits for the port that it prints. */
export async function startProcess(
  args: readonly string[],
  { input, core, errors, env }: StartOptions = {},
): Promise<ServerProcess> {
  const command = [process.execPath, ...args];
  const [program = "", ...rest] =
    core === undefined ? command : ["taskset", "-c", `${core}`, ...command];
  const output = errors === undefined ? "inherit" : openSync(errors, "a");
  const start = performance.now();
  const child = spawn(program, rest, {
    stdio: ["pipe", "pipe", output],
    env: { ...process.env, ...env },
  });
  if (output !== "inherit") closeSync(output);
  child.stdin?.end(input);
  const port = await readPort(child);
  return {
    port,
    pid: child.pid ?? 0,
    startTime: performance.now() - start,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

function readPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += String(chunk);
      const port = /(?:127\.0\.0\.1:|^)(\d+)\n/.exec(text)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`the server ended: ${text}`)));
  });
}
