import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A server in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  /** From the start of the process until it said where it answers, in milliseconds. */
  readonly startTime: number;
  stop(): Promise<void>;
}

/** Starts a TypeScript file and waits for the port that it prints. */
export async function startProcess(
  args: readonly string[],
  input?: string,
): Promise<ServerProcess> {
  const start = performance.now();
  const child = spawn(process.execPath, [...args], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin?.end(input);
  const port = await readPort(child);
  return {
    port,
    pid: child.pid ?? 0,
    startTime: performance.now() - start,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
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
    child.once("exit", () => reject(new Error(`the server ended: ${text}`)));
  });
}
