import { createHash } from "node:crypto";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { broken } from "./check-database.ts";

/** The start of a backup's trailer; the SHA-256 of everything before it follows. */
const MARK = Buffer.from("marquee-sha-256\n", "latin1");
const DIGEST_SIZE = 32;

/** The smallest page size, in bytes; every other is a multiple of it. */
const SECTOR = 512;

/** The bytes read at a time. */
const PIECE = 1_048_576;

/**
 * Appends a checksum, which SQLite lacks, to a database file. SQLite reads only the pages counted in the
 * header, so the file remains a valid database.
 */
export function appendChecksum(path: string): void {
  const file = openSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    writeSync(file, Buffer.concat([MARK, digestOf(file, size)]), 0, undefined, size);
  } finally {
    closeSync(file);
  }
}

/**
 * Verifies the checksum of a file and removes it; false if the file has none. Throws a DomainError
 * FAILED_PRECONDITION `DATABASE_BROKEN` if it does not match, or if the file ends in neither a checksum nor a
 * complete page. `what` is the subject of the message.
 */
export function cutChecksum(path: string, what: string): boolean {
  const file = openSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    const end = size - MARK.length - DIGEST_SIZE;
    const trailer = Buffer.alloc(MARK.length + DIGEST_SIZE);
    if (end > 0) readSync(file, trailer, 0, trailer.length, end);
    if (!trailer.subarray(0, MARK.length).equals(MARK)) {
      if (size % SECTOR === 0) return false;
      throw broken(what, "the file is truncated");
    }
    if (!digestOf(file, end).equals(trailer.subarray(MARK.length))) {
      throw broken(what, "the checksum does not match");
    }
    ftruncateSync(file, end);
    return true;
  } finally {
    closeSync(file);
  }
}

function digestOf(file: number, end: number): Buffer {
  const hash = createHash("sha256");
  const piece = Buffer.alloc(PIECE);
  for (let at = 0; at < end; ) {
    const length = readSync(file, piece, 0, Math.min(PIECE, end - at), at);
    if (length === 0) break;
    hash.update(piece.subarray(0, length));
    at += length;
  }
  return hash.digest();
}
