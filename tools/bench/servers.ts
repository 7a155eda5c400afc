import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DemoFile } from "../../demo/demo-file.ts";
import { findFreePort } from "../../test/harness/free-port.ts";
import { MARQUEE } from "../../test/harness/process.ts";
import type { Load } from "./load.ts";
import { type ServerProcess, type StartOptions, startProcess } from "./processes.ts";
import { readResponse } from "./requests.ts";

/** A server to compare with Marquee: Node's own or connect-node's, over HTTP/1.1 or HTTP/2. */
export type PeerKind = "bare" | "bare-http2" | "connect" | "connect-http2";

/** The response of a peer to every request. */
export interface PeerResponse {
  /** The path of the method, such as `/svc.cda.cms.event.v1.EventService/ListEvents`. */
  readonly procedure: string;
  /** The headers of the response, without `connection`, `date` and `keep-alive`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly json: string;
}

/** How Marquee is started. */
export interface ServeOptions {
  /** More flags of `serve`. */
  readonly flags?: readonly string[];
  /** File for the log at its default level; if absent, only warnings are logged, and shown. */
  readonly log?: string;
  readonly core?: number;
}

/** The servers and files of a part of the benchmarks. */
export interface Servers {
  /** A folder for files. */
  readonly folder: string;
  /** Starts Marquee on a `--database`. */
  serve(database: string, options?: ServeOptions): Promise<ServerProcess>;
  /** Starts Marquee with the demo; the first start loads it. Returns its credentials, too. */
  serveDemo(options?: ServeOptions): Promise<{ server: ServerProcess; demo: DemoFile }>;
  /** Starts a peer with the response of another server's load, as JSON or as a message. */
  startPeer(kind: PeerKind, like: Load, options?: StartOptions): Promise<ServerProcess>;
  /** Ends the servers. */
  stopAll(): Promise<void>;
  /** Ends the servers and removes the folder. */
  close(): Promise<void>;
}

/** Creates a folder, and servers that write CPU profiles to another one if it is given. */
export function createServers(name: string, profile: string | undefined): Servers {
  const folder = mkdtempSync(join(tmpdir(), "marquee-bench-"));
  const running: ServerProcess[] = [];
  let started = 0;

  const serve = async (database: string, { flags = [], log, core }: ServeOptions = {}) => {
    started += 1;
    const server = await startProcess(
      [
        ...(profile === undefined ? [] : profileFlags(profile, `${name}-${started}`)),
        ...MARQUEE.args("serve", "--listen", `127.0.0.1:${await findFreePort()}`),
        ...["--database", database, ...flags],
        ...(log === undefined ? ["--log-level", "warn"] : []),
      ],
      {
        ...{ env: MARQUEE.env, ...(core !== undefined && { core }) },
        ...(log !== undefined && { errors: log }),
      },
    );
    running.push(server);
    return server;
  };

  const stopAll = async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
  };

  return {
    folder,
    serve,
    async serveDemo({ flags = [], ...options } = {}) {
      const file = join(folder, "demo.json");
      const demoFlags = ["--demo", "--demo-file", file, ...flags];
      const server = await serve(`sqlite:${join(folder, "demo.db")}`, {
        ...options,
        flags: demoFlags,
      });
      return { server, demo: await readDemo(file) };
    },
    async startPeer(kind, like, options = {}) {
      const { headers, text } = await readResponse(like);
      for (const name of ["connection", "date", "keep-alive"]) headers.delete(name);
      const response: PeerResponse = {
        procedure: new URL(like.requests[0]?.path ?? "", "http://localhost").pathname,
        headers: Object.fromEntries(headers),
        json: text,
      };
      const input = JSON.stringify(response);
      const server = await startProcess(["tools/bench/peers.ts", kind], { ...options, input });
      running.push(server);
      return server;
    },
    stopAll,
    async close() {
      await stopAll();
      rmSync(folder, { recursive: true });
    },
  };
}

function profileFlags(folder: string, name: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  return ["--cpu-prof", "--cpu-prof-dir", folder, "--cpu-prof-name", `${name}.cpuprofile`];
}

/** Waits for the demo file, which is written once the server is ready. */
async function readDemo(path: string): Promise<DemoFile> {
  for (;;) {
    try {
      return JSON.parse(readFileSync(path, "utf8")) as DemoFile;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
