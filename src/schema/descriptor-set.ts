import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const FILE = new URL("../../gen/schema.binpb.gz", import.meta.url);

/**
 * Reads the descriptor set of all interfaces: a `google.protobuf.FileDescriptorSet` in binary, with comments. It
 * contains every import, and `google.rpc` for the details of errors.
 */
export async function readDescriptorSet(): Promise<Uint8Array> {
  return promisify(gunzip)(await readFile(FILE));
}
