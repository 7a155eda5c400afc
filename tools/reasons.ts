/**
 * Reads the reasons of errors from the tables of docs/errors.md. As a program, writes their type to the file that is
 * named: part of `npm run generate`.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Code } from "../gen/google/rpc/code_pb.ts";

const PAGE = join(import.meta.dirname, "../docs/errors.md");

/** Lists the reasons with the code that each usually has, the first of its row. */
export function readReasons(): ReadonlyMap<string, Code> {
  const rows = readFileSync(PAGE, "utf8").matchAll(/^\| (`[A-Z][^|]*) \| (`[A-Z][^|]*) \|/gm);
  const reasons = new Map<string, Code>();
  for (const [row, names = "", codes = ""] of rows) {
    const [code] = listNames(codes).map((name) => Code[name as keyof typeof Code]);
    for (const name of listNames(names)) {
      if (code === undefined || reasons.has(name)) throw new Error(`docs/errors.md: ${row}`);
      reasons.set(name, code);
    }
  }
  return reasons;
}

function listNames(cell: string): string[] {
  return Array.from(cell.matchAll(/`(\w+)`/g), ([, name = ""]) => name);
}

if (import.meta.main) {
  const [file = "gen/reasons.ts"] = process.argv.slice(2);
  const names = [...readReasons().keys()].sort().map((name) => `  | "${name}"`);
  const head = "// Generated from docs/errors.md by tools/reasons.ts.\n\n";
  const doc = "/** The stable reason of an error. */\n";
  writeFileSync(file, `${head}${doc}export type Reason =\n${names.join("\n")};\n`);
}
