import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of a test's own. */
export interface Folder {
  readonly path: string;
  remove(): void;
}

const MEMORY = "/dev/shm";
/** How much memory the files of a whole run may take, in bytes. */
const NEEDED_BYTES = 2 ** 31;

/** The variable that names the folder of the whole run, in which all others are; it goes with the run. */
export const RUN_FOLDER = "MARQUEE_TEST_FOLDER";

/**
 * Creates a folder, in memory where the machine has room for it: tests wait for no disk. `isOutside`: not in the
 * folder of the run, which only its user may enter; `isOnDisk`: there, and in no memory.
 */
export function createFolder({ isOutside = false, isOnDisk = false } = {}): Folder {
  const own = isOutside || isOnDisk ? undefined : process.env[RUN_FOLDER];
  const parent = own ?? (hasMemory() && !isOnDisk ? MEMORY : tmpdir());
  const path = mkdtempSync(join(parent, "marquee-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
