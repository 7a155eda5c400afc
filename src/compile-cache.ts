import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/** Returns the variable by which another process or thread shares the cache of compiled code of this one. */
export function shareCompileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // Node tells the folder of its version, which it makes in the one that it is given.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
