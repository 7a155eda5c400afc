import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { Code, DomainError } from "../../domain/errors.ts";

/** What the file has behind its name until it is whole. */
const PARTIAL = ".partial";

/** Where an export goes. */
export interface ExportTarget {
  /** Writes all of the bytes before it returns. */
  write(bytes: Uint8Array): Promise<void>;
  /** Puts the whole in its place. */
  finish(): Promise<void>;
  /** Removes what was not finished; may be called at any time. */
  close(): Promise<void>;
}

/**
 * Opens a file that appears under its name only when it is whole; until then it is `<path>.partial`. It
 * is for its owner's eyes only. ALREADY_EXISTS `FILE_EXISTS` for one that is there, unless it is to be
 * replaced.
 */
export async function openExportFile(path: string, isForced: boolean): Promise<ExportTarget> {
  if (!isForced && existsSync(path)) {
    const message = `${path} exists; --force replaces it`;
    throw new DomainError(Code.ALREADY_EXISTS, "FILE_EXISTS", message);
  }
  const partial = `${path}${PARTIAL}`;
  const handle = await open(partial, "w", 0o600);
  let isOpen = true;
  return {
    write: (bytes) => handle.writeFile(bytes),
    async finish() {
      await handle.sync();
      await handle.close();
      isOpen = false;
      await rename(partial, path);
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await handle.close();
      await rm(partial, { force: true });
    },
  };
}

/** Writes an export to a stream that somebody else closes. */
export function toStream(stream: Writable): ExportTarget {
  // The write that fails says so too; without a listener the process would end here.
  stream.on("error", () => {});
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (fault) => (fault ? reject(fault) : resolve()));
      }),
    async finish() {},
    async close() {},
  };
}
