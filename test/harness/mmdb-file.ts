import { isIPv4 } from "node:net";

/** What a database says of the addresses of a network, `1.2.3.0/24`. */
export type MmdbEntries = Readonly<Record<string, MmdbValue>>;

type MmdbValue =
  | string
  | boolean
  | number
  | readonly MmdbValue[]
  | { readonly [name: string]: MmdbValue };

/** What a test may say of a database. */
export interface MmdbOptions {
  readonly buildTime?: Date;
  readonly type?: string;
  /** 6, whose tree holds IPv4 too, or 4. */
  readonly ipVersion?: 4 | 6;
}

/** Where a branch of the tree goes: on to a node, to a record's offset, or nowhere. */
type Branch = Node | number | undefined;
type Node = [Branch, Branch];

/**
 * Writes a small database in MaxMind's format (MaxMind DB 2.0): a binary search tree with records of
 * 24 bits, 16 zero bytes, the data, and the metadata behind their marker.
 */
export function writeMmdb(
  entries: MmdbEntries,
  { buildTime = new Date(0), type = "Test", ipVersion = 6 }: MmdbOptions = {},
): Buffer {
  const root: Node = [undefined, undefined];
  const data: Buffer[] = [];
  let offset = 0;
  for (const [network, value] of Object.entries(entries)) {
    insert(root, toBits(network, ipVersion), offset);
    const bytes = encode(value);
    data.push(bytes);
    offset += bytes.length;
  }
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: Math.floor(buildTime.getTime() / 1_000),
    database_type: type,
    description: { en: "of a test" },
    ip_version: ipVersion,
    languages: ["en"],
    node_count: listNodes(root).length,
    record_size: 24,
  };
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from("MaxMind.com")]);
  return Buffer.concat([writeTree(root), Buffer.alloc(16), ...data, marker, encode(metadata)]);
}

function insert(root: Node, bits: readonly number[], offset: number): void {
  let node = root;
  for (const [index, bit] of bits.entries()) {
    if (index === bits.length - 1) {
      node[bit] = offset;
      return;
    }
    const next = node[bit];
    if (typeof next === "number") throw new Error("a network lies in another one");
    const child: Node = next ?? [undefined, undefined];
    node[bit] = child;
    node = child;
  }
}

function writeTree(root: Node): Buffer {
  const nodes = listNodes(root);
  const places = new Map(nodes.map((node, index) => [node, index]));
  const toRecord = (branch: Branch) => {
    if (branch === undefined) return nodes.length;
    if (typeof branch === "number") return nodes.length + 16 + branch;
    return places.get(branch) ?? 0;
  };
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [index, [left, right]] of nodes.entries()) {
    tree.writeUIntBE(toRecord(left), index * 6, 3);
    tree.writeUIntBE(toRecord(right), index * 6 + 3, 3);
  }
  return tree;
}

function listNodes(root: Node): Node[] {
  const below = root.filter((branch) => Array.isArray(branch));
  return [root, ...below.flatMap(listNodes)];
}

function toBits(network: string, ipVersion: 4 | 6): number[] {
  const [address = "", prefix = ""] = network.split("/");
  const isShort = isIPv4(address);
  const bytes = isShort ? address.split(".").map(Number) : toBytes(address);
  const bits = bytes.flatMap((byte) =>
    Array.from({ length: 8 }, (_, at) => (byte >> (7 - at)) & 1),
  );
  const own = bits.slice(0, Number(prefix));
  return isShort && ipVersion === 6 ? [...new Array<number>(96).fill(0), ...own] : own;
}

function toBytes(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const read = (part: string) => (part === "" ? [] : part.split(":"));
  const [first, last] = [read(head), read(tail ?? "")];
  const zeros = new Array<string>(8 - first.length - last.length).fill("0");
  return [...first, ...zeros, ...last].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

const STRING = 2;
const UINT32 = 6;
const MAP = 7;
const UINT64 = 9;
const ARRAY = 11;
const BOOLEAN = 14;

function encode(value: MmdbValue): Buffer {
  switch (typeof value) {
    case "string":
      return Buffer.concat([control(STRING, Buffer.byteLength(value)), Buffer.from(value)]);
    case "boolean":
      return control(BOOLEAN, value ? 1 : 0);
    case "number": {
      const isLong = value > 0xffff_ffff;
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64BE(BigInt(value));
      const used = bytes.subarray(isLong ? 0 : 4);
      return Buffer.concat([control(isLong ? UINT64 : UINT32, used.length), used]);
    }
    default: {
      if (Array.isArray(value)) {
        return Buffer.concat([control(ARRAY, value.length), ...value.map(encode)]);
      }
      const members = Object.entries(value as { readonly [name: string]: MmdbValue });
      const parts = members.flatMap(([name, member]) => [encode(name), encode(member)]);
      return Buffer.concat([control(MAP, members.length), ...parts]);
    }
  }
}

/** Writes type and size; types from 8 on have a byte of their own, sizes from 29 on another. */
function control(type: number, size: number): Buffer {
  if (size > 29 + 255) throw new Error("too long for a test");
  const short = size < 29 ? size : 29;
  const head = type < 8 ? [(type << 5) | short] : [short, type - 7];
  return Buffer.from(size < 29 ? head : [...head, size - 29]);
}
