#!/usr/bin/env node
import { fileURLToPath } from "node:url";

// The program of the package: continues as Node with the flags and variables of `bin/marquee`, in this process.
const { execArgv, execPath, platform, versions } = process;
if (Number.parseInt(versions.node, 10) < 24) {
  process.stderr.write(`marquee: needs Node 24 or later; this is ${versions.node}\n`);
  process.exit(1);
}
const [, , ...args] = process.argv;
const flags = [...execArgv, "--min-semi-space-size=4"];
if (platform === "win32" || process.execve === undefined) {
  await import("./main.ts");
} else {
  const main = fileURLToPath(new URL("./main.js", import.meta.url));
  const env = { ...process.env, MALLOC_ARENA_MAX: "2" };
  process.execve(execPath, [execPath, ...flags, main, ...args], env);
}
