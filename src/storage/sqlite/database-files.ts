import { closeSync, existsSync, fsyncSync, openSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { Code, DomainError } from "../../domain/errors.ts";

/** What the names of a database's files have behind that of the database, itself first. */
const SUFFIXES = ["", "-wal", "-shm", "-journal"];

/** Finds the files of a database that are there, as suffixes of its path. */
export function findFiles(path: string): string[] {
  return SUFFIXES.filter((suffix) => existsSync(`${path}${suffix}`));
}

/** Removes a database that is not whole, with all its files. */
export function removeFiles(path: string): void {
  for (const suffix of SUFFIXES) rmSync(`${path}${suffix}`, { force: true });
}

/**
 * Creates an empty file for its owner's eyes only, into which a database is copied. ALREADY_EXISTS
 * `COPY_EXISTS` if it is there: another process may be writing it.
 */
export function createCopy(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (fault) {
    if (!(fault instanceof Error && "code" in fault && fault.code === "EEXIST")) throw fault;
    throw new DomainError(
      Code.ALREADY_EXISTS,
      "COPY_EXISTS",
      `${basename(path)} exists: it is being written, or was left behind by a process that was killed; then delete it`,
    );
  }
}

/** Brings a file, or the names in a folder, to the disk. */
export function syncToDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
