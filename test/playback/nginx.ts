import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** True where a machine without nginx fails the tests that need it. */
export const isNginxRequired =
  process.env.CI !== undefined || process.env.MARQUEE_TEST_EDGE === "required";

/** Finds the machine's nginx, which most users have in no folder of their PATH. */
export function findNginx(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, "nginx")).find(isProgram);
}

/** A running edge server. */
export interface Nginx {
  stop(): Promise<void>;
}

/** Starts nginx with what stands inside `http { … }`, and waits until it responds on the port. */
export async function startNginx(program: string, http: string, port: number): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), "marquee-nginx-"));
  const isRoot = process.getuid?.() === 0;
  const scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join("\n");
  const configuration = join(folder, "nginx.conf");
  writeFileSync(
    configuration,
    `${isRoot ? "user root;" : ""}
daemon off;
pid ${join(folder, "nginx.pid")};
error_log stderr crit;
events {}
http {
access_log off;
${scratch}
${http}
}`,
  );
  chmodSync(folder, 0o755);
  const child = spawn(program, ["-c", configuration, "-p", folder], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  await untilItListens(child, port);
  return {
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}

async function untilItListens(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
