import type { JsonValue } from "@bufbuild/protobuf";
import { isObject, readOwn } from "../base/json.ts";

/** Limits of listed paths; beyond them, the nearest common parents are listed (contract: limits 7). Bytes are of UTF-8. */
export const PATH_LIMITS = {
  /** Of a resource. */
  paths: 50,
  bytes: 4 * 1024,
  /** Bytes of all resources of a write together. */
  write: 64 * 1024,
} as const;

/** The keys of values below a value, as a tree. Without keys it is the value itself. */
export interface PathTree extends ReadonlyMap<string, PathTree> {}

/** The tree of a value itself. */
export const WHOLE: PathTree = new Map();

/** A path of a list, and the paths that take its place. */
interface ListedPath {
  readonly path: string;
  readonly tree: PathTree;
  below?: readonly ListedPath[];
}

/**
 * Lists the paths of a tree in its order, such as `fields.score`; the empty path is the value itself. The keys of the
 * root are always listed, keys below them level by level while the paths are within the limits.
 */
export function listPaths(
  tree: PathTree | undefined,
  maxBytes: number = PATH_LIMITS.bytes,
): string[] {
  if (tree === undefined) return [];
  const root: ListedPath = { path: "", tree };
  const queue = [root];
  let count = 1;
  let bytes = 0;
  for (const listed of queue) {
    const left = {
      paths: listed === root ? Infinity : PATH_LIMITS.paths - count + 1,
      bytes: listed === root ? Infinity : maxBytes - bytes + Buffer.byteLength(listed.path),
    };
    const below = listBelow(listed, left);
    if (below.length === 0) continue;
    listed.below = below;
    queue.push(...below);
    count += below.length - 1;
    bytes += sizeOf(below) - Buffer.byteLength(listed.path);
  }
  return listLeaves(root);
}

/** Lists the paths below a path; none if they exceed what is left. */
function listBelow(
  { path, tree }: ListedPath,
  left: { readonly paths: number; readonly bytes: number },
): readonly ListedPath[] {
  if (tree.size > left.paths) return [];
  const below: ListedPath[] = [];
  let bytes = 0;
  for (const [key, it] of tree) {
    const listed = { path: joinPath(path, key), tree: it };
    bytes += Buffer.byteLength(listed.path);
    if (bytes > left.bytes) return [];
    below.push(listed);
  }
  return below;
}

function sizeOf(listed: readonly ListedPath[]): number {
  return listed.reduce((sum, { path }) => sum + Buffer.byteLength(path), 0);
}

function listLeaves({ path, below }: ListedPath): string[] {
  return below?.flatMap(listLeaves) ?? [path];
}

/** Returns the paths of a tree that are not below, above or equal to paths; undefined if there are none. */
export function dropPaths(tree: PathTree, paths: readonly string[]): PathTree | undefined {
  if (paths.length === 0) return tree;
  if (paths.includes("")) return undefined;
  const kept = Array.from(tree).flatMap(([key, below]) => {
    const it = dropPaths(below, listRests(paths, printName(key)));
    return it === undefined ? [] : [[key, it] as const];
  });
  return kept.length === 0 ? undefined : new Map(kept);
}

/** Lists the rests of the paths that begin with a name. */
function listRests(paths: readonly string[], name: string): readonly string[] {
  return paths.flatMap((path) => {
    if (path === name) return "";
    return path.startsWith(`${name}.`) ? path.slice(name.length + 1) : [];
  });
}

/** Returns the value at a path; undefined if there is none. */
export function readPath(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let at = value;
  for (const key of splitPath(path)) at = isObject(at) ? readOwn(at, key) : undefined;
  return at;
}

/** Returns the keys of a path. */
export function splitPath(path: string): string[] {
  const names = path.match(/"(?:[^"\\]|\\.)*"|[^".]+/g) ?? [];
  return names.map((name) => (name.startsWith('"') ? JSON.parse(name) : name));
}

/** Appends a key to a path. */
function joinPath(path: string, key: string): string {
  return path === "" ? printName(key) : `${path}.${printName(key)}`;
}

/** Prints a key in a path; one of other characters than a name is quoted. */
function printName(key: string): string {
  return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(key) ? key : JSON.stringify(key);
}
