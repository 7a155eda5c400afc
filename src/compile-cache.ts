import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/** Returns the environment of another process or thread that shares this one's cache of compiled code. */
export function shareCompileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // Node reports its version's folder, a child of the folder that it takes.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
