import { createHash } from "node:crypto";

/** The most texts whose names are cached, which bounds memory. */
const MOST_NAMES = 10_000;

/** The most statements that a connection prepares: each takes memory of the server. */
const MOST_PREPARED = 500;

/** Names the prepared statements of one connection. */
export interface StatementNames {
  /** Returns the name of a statement; undefined if it is not to be prepared. */
  of(text: string): string | undefined;
  /** True once the connection has prepared so many that another should take its place. */
  readonly isFull: boolean;
}

const cached = new Map<string, string>();

/** Creates the names of a connection; without `prepares` no statement has one. */
export function createStatementNames(prepares: boolean): StatementNames {
  const prepared = new Set<string>();
  return {
    of(text) {
      if (!prepares) return undefined;
      const name = nameOf(text);
      prepared.add(name);
      return name;
    },
    get isFull() {
      return prepared.size >= MOST_PREPARED;
    },
  };
}

/** Returns a name that is the same for equal texts, in every process. */
function nameOf(text: string): string {
  const known = cached.get(text);
  if (known !== undefined) return known;
  if (cached.size >= MOST_NAMES) cached.clear();
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 24);
  cached.set(text, name);
  return name;
}
