import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A service in a process of its own, with a small heap and a look into its memory. */
export interface FuzzService {
  readonly url: string;
  /** The bytes that live on the heap and in buffers, after a collection of garbage. */
  measureMemory(): Promise<number>;
  /** Returns how the process ended; undefined while it runs. */
  exit(): string | undefined;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Starts `marquee serve` with an inspector on a port of this machine. */
export async function startService(args: readonly string[]): Promise<FuzzService> {
  const flags = ["--inspect=127.0.0.1:0", "--max-old-space-size=256"];
  const child = spawn(process.execPath, [...flags, MAIN, "serve", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-100_000);
  });
  const url = await readMatch(child, child.stdout, /Studio API {4}(\S+)\n/);
  const inspector = /ws:\/\/\S+/.exec(errors)?.[0] ?? "";
  const { evaluate, socket } = await openInspector(inspector);
  return {
    url,
    async measureMemory() {
      await evaluate("HeapProfiler.collectGarbage", {});
      const expression = "(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())";
      const { result } = await evaluate("Runtime.evaluate", { expression });
      return Number(result?.value);
    },
    exit() {
      if (child.exitCode === null && child.signalCode === null) return undefined;
      return `exit ${child.exitCode ?? child.signalCode}: ${errors.slice(-2_000)}`;
    },
    async stop() {
      // Node waits for an inspector before it ends.
      socket.close();
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

function readMatch(
  child: ChildProcess,
  stream: NodeJS.ReadableStream,
  pattern: RegExp,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match?.[1] !== undefined) resolve(match[1]);
    });
    child.once("exit", () => reject(new Error(`the service ended: ${text}`)));
  });
}

type Evaluate = (method: string, params: object) => Promise<{ result?: { value?: unknown } }>;

async function openInspector(url: string): Promise<{ evaluate: Evaluate; socket: WebSocket }> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  let last = 0;
  const evaluate: Evaluate = (method, params) =>
    new Promise((resolve) => {
      last += 1;
      const id = last;
      const onMessage = ({ data }: MessageEvent) => {
        const response = JSON.parse(String(data));
        if (response.id !== id) return;
        socket.removeEventListener("message", onMessage);
        resolve(response.result);
      };
      socket.addEventListener("message", onMessage);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return { evaluate, socket };
}
