import { execFile } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Code, DomainError } from "../src/domain/base/errors.ts";
import type { DatabaseLocation } from "../src/storage/open.ts";

// In the package, this folder is compiled.
const PROGRAM = fileURLToPath(
  new URL(`./load-process${extname(import.meta.url)}`, import.meta.url),
);

/**
 * Loads the demo, whose pictures are served at `url`, into an empty database. It runs in a separate process, so that the
 * service does not keep the memory of loading. UNAVAILABLE `DEMO_NOT_LOADED`, such as on a full disk; nothing is loaded then.
 */
export async function loadDemo(
  location: DatabaseLocation,
  url: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const folder = getCompileCacheDir();
  // The process shares this one's cache of compiled code. Node reports its version's folder, a child of the one it takes.
  const env = { ...environment, ...(folder && { NODE_COMPILE_CACHE: dirname(folder) }) };
  const loading = promisify(execFile)(process.execPath, [PROGRAM], { env });
  // Not an argument: every user of the machine can read arguments, and the URL may contain a password.
  loading.child.stdin?.end(JSON.stringify({ location, url }));
  try {
    await loading;
  } catch (cause) {
    const { stderr } = cause as { readonly stderr?: string };
    const message = `the demo cannot be loaded: ${stderr || String(cause)}`;
    throw new DomainError(Code.UNAVAILABLE, "DEMO_NOT_LOADED", message);
  }
}
