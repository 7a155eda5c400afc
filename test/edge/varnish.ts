import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "../harness/folder.ts";
import { findFreePort } from "../harness/free-port.ts";
import { type HttpResponse, send } from "../harness/http.ts";
import { ROOT, start } from "../harness/process.ts";

const PROGRAM = "/usr/sbin/varnishd";

/** The configuration of the compose file. */
const CONFIGURATION = join(ROOT, "deploy/compose/varnish.vcl");

/** False on a machine without Debian's package `varnish`. */
export const isVarnishInstalled = existsSync(PROGRAM);

/** A running Varnish. */
export interface Varnish {
  readonly url: string;
  /** The listener for purges. */
  readonly purgeUrl: string;
  readonly port: number;
  /** Its working folder, by which `varnishstat` finds it. */
  readonly folder: string;
  /** Purges what was made from a resource; returns Varnish's response. */
  purge(keys: string, headers?: Readonly<Record<string, string>>): Promise<HttpResponse>;
  stop(): Promise<void>;
}

/** Starts Varnish with the configuration of the compose file in front of two processes on this machine. */
export async function startVarnish(ports: readonly [number, number]): Promise<Varnish> {
  const folder = createFolder();
  const backends = readFileSync(join(ROOT, "deploy/compose/backends.vcl"), "utf8").replaceAll(
    /"marquee-([12])";\s+\.port = "8080"/g,
    (_, place) => `"127.0.0.1"; .port = "${ports[Number(place) - 1]}"`,
  );
  writeFileSync(join(folder.path, "backends.vcl"), backends);
  const port = await findFreePort();
  const purgePort = await findFreePort();
  const name = join(folder.path, "varnish");
  const running = start(PROGRAM, [
    ...["-F", "-n", name, "-f", CONFIGURATION, "-s", "malloc,256m"],
    ...["-a", `http=127.0.0.1:${port}`, "-a", `purge=127.0.0.1:${purgePort}`],
    ...["-p", `vcl_path=${folder.path}`],
    // No change of users: those of Debian's package may not enter the folder of a test.
    ...["-j", "none"],
  ]);
  const url = `http://127.0.0.1:${port}`;
  const purgeUrl = `http://127.0.0.1:${purgePort}`;
  const purge: Varnish["purge"] = (keys, headers) =>
    send("PURGE", purgeUrl, { headers: { "surrogate-key": keys, ...headers } });
  await Promise.race([
    untilReady(url),
    running.finished.then(({ stderr }) => {
      throw new Error(`varnishd ended: ${stderr}`);
    }),
  ]);
  return {
    ...{ url, purgeUrl, port, folder: name, purge },
    async stop() {
      running.child.kill("SIGTERM");
      await running.finished;
      folder.remove();
    },
  };
}

async function untilReady(url: string): Promise<void> {
  const isThere = await fetch(url).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await new Promise((resolve) => setTimeout(resolve, 20));
  await untilReady(url);
}
