import { join } from "node:path";
import { findFreePort } from "../../test/harness/free-port.ts";
import { MARQUEE, ROOT, type Running, start } from "../../test/harness/process.ts";

/** A process of `marquee serve`. */
export interface Service {
  readonly url: string;
  readonly pid: number;
  /** The log so far: warnings and errors. */
  readonly log: Running["stderr"];
  readonly finished: Running["finished"];
  /** Ends it as an operator does; returns its exit code. */
  stop(): Promise<number | null>;
}

/** How a service is started. */
export interface ServiceOptions {
  /** The value of `--database`. */
  readonly database: string;
  readonly flags?: readonly string[];
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a free one. */
  readonly port?: number;
  /** The folder of the checkout that it runs; default: this one. */
  readonly root?: string;
}

/** Starts `marquee serve` and waits until it listens. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { database, flags = [], nodeFlags = [], env = {} } = options;
  const port = options.port ?? (await findFreePort());
  const serve = ["serve", "--listen", `127.0.0.1:${port}`, "--database", database];
  const { root = ROOT } = options;
  const words = MARQUEE.args(...serve, "--log-level", "warn", ...flags);
  const args = [...nodeFlags, ...words.map((it) => it.replace(ROOT, join(root, "/")))];
  const running = start(MARQUEE.program, args, { env });
  await running.printed(/Delivery API {2}\S+\n/);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: running.child.pid ?? 0,
    log: running.stderr,
    finished: running.finished,
    async stop() {
      running.child.kill("SIGTERM");
      return (await running.finished).code;
    },
  };
}
