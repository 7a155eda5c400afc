import { createHash } from "node:crypto";
import type { PathTree } from "../../domain/changes/path-tree.ts";

/** Returns a short hash of all paths of a tree. */
export function hashPaths(tree: PathTree): string {
  const hash = createHash("sha256");
  const add = (it: PathTree) => {
    hash.update(JSON.stringify([...it.keys()]));
    it.forEach(add);
  };
  add(tree);
  return hash.digest("base64url").slice(0, 22);
}
