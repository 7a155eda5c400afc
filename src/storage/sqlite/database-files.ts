import { closeSync, existsSync, fsyncSync, openSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { Code, DomainError } from "../../domain/errors.ts";

/** The suffixes of a database's files, the main file first. */
const SUFFIXES = ["", "-wal", "-shm", "-journal"];

/** Finds the existing files of a database, as suffixes of its path. */
export function findFiles(path: string): string[] {
  return SUFFIXES.filter((suffix) => existsSync(`${path}${suffix}`));
}

/** Deletes an incomplete database with all its files. */
export function removeFiles(path: string): void {
  for (const suffix of SUFFIXES) rmSync(`${path}${suffix}`, { force: true });
}

/**
 * Creates an empty file, readable only by its owner, to copy a database into. ALREADY_EXISTS `COPY_EXISTS` if
 * it exists, as another process may be writing it.
 */
export function createCopy(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (fault) {
    if (!(fault instanceof Error && "code" in fault && fault.code === "EEXIST")) throw fault;
    throw new DomainError(
      Code.ALREADY_EXISTS,
      "COPY_EXISTS",
      `${basename(path)} exists: another process is writing it, or a killed process left it; in the latter case, delete it`,
    );
  }
}

/** Syncs a file, or the entries of a directory, to disk. */
export function syncToDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
