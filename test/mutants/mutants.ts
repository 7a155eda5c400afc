import { readdirSync, readFileSync } from "node:fs";

/** A change that makes the product wrong, and the tests that are to notice. */
export interface Mutant {
  /** Says what is wrong then; unique. */
  readonly name: string;
  /** The source file, from the root of the repository. */
  readonly file: string;
  /** The text that is replaced; it occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Test files, from the root of the repository. */
  readonly tests: readonly string[];
  /** Why no test can notice, for a mutant that is known to survive. */
  readonly survives?: string;
}

const FOLDER = new URL("./", import.meta.url);

/** Reads all `*.mutants` files of this folder. Throws with the file and line of what cannot be read. */
export function readMutants(): Mutant[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".mutants"));
  return names
    .sort()
    .flatMap((name) => parseMutants(readFileSync(new URL(name, FOLDER), "utf8"), name));
}

/** Counts the occurrences of a part in a text; an empty part has none. */
export function countIn(text: string, part: string): number {
  return part === "" ? 0 : text.split(part).length - 1;
}

/**
 * Parses mutants, one block each, with an empty line between two:
 *
 *     # hidden resources are answered 403
 *     src/call/authorize.ts
 *     - decision === "hidden"
 *     + decision === "denied"
 *     test/call/authorize.test.ts test/api/access.test.ts
 *     survives: only if no test can notice, and why
 *
 * Several lines that begin with `- ` or `+ ` are one text of several lines.
 */
export function parseMutants(text: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  let line = 1;
  for (const block of text.split("\n\n")) {
    const start = line;
    line += block.split("\n").length + 1;
    if (block.trim() === "") continue;
    mutants.push(parseMutant(block.trim(), `${source}:${start}`));
  }
  return mutants;
}

function parseMutant(block: string, at: string): Mutant {
  const lines = block.split("\n");
  const rest = lines.filter((line) => !/^(# |- |\+ |survives: |[-+]$)/.test(line));
  const [file, tests, ...more] = rest;
  const name = lines[0]?.startsWith("# ") ? lines[0].slice(2) : undefined;
  if (name === undefined || file === undefined || tests === undefined || more.length > 0) {
    throw new Error(`${at}: a mutant is a name, a file, what is replaced, and tests`);
  }
  const survives = lines.find((line) => line.startsWith("survives: "))?.slice("survives: ".length);
  return {
    name,
    file,
    find: pick(lines, "-"),
    replace: pick(lines, "+"),
    tests: tests.split(" "),
    ...(survives !== undefined && { survives }),
  };
}

function pick(lines: readonly string[], sign: string): string {
  return lines
    .filter((line) => line === sign || line.startsWith(`${sign} `))
    .map((line) => line.slice(2))
    .join("\n");
}
