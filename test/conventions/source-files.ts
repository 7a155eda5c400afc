import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A file of the repository. */
export interface SourceFile {
  /** From the root of the repository, such as `src/domain/monetization/money.ts`. */
  readonly path: string;
  readonly text: string;
  /** What it imports: packages as they are named, files by their path from the root. */
  readonly imports: readonly string[];
  /** Those of them that are there when it runs: no `import type`. */
  readonly loads: readonly string[];
}

/** Reads the files below a folder whose names end in one of some ways. */
export function readFiles(folder: string, ...endings: readonly string[]): SourceFile[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .filter((name) => !name.includes("node_modules/"))
    .sort()
    .map((name) => {
      const path = posix.join(folder, name);
      const text = readFileSync(`${ROOT}${path}`, "utf8");
      const running = text.replaceAll(/^(import|export) type\b[^;]*;/gm, "");
      return { path, text, imports: readImports(path, text), loads: readImports(path, running) };
    });
}

/** Reads the import statements of a module: static, re-exporting, for effect, and dynamic. */
export function readImports(path: string, text: string): string[] {
  const statements = [
    /^(?:import|export)\b[^;"']*?\bfrom\s*["']([^"']+)["']/gm,
    /^import\s*["']([^"']+)["']/gm,
    /\bimport\(\s*["'`]([^"'`]+)["'`]/g,
    /\b(?:require|createRequire)\(\s*["'`]([^"'`]+)["'`]/g,
  ];
  const named = statements.flatMap((it) => Array.from(text.matchAll(it), ([, name = ""]) => name));
  return named.map((name) => (name.startsWith(".") ? posix.join(posix.dirname(path), name) : name));
}
