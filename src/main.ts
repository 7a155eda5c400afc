import module from "node:module";
import { fileURLToPath } from "node:url";

if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(`marquee: needs Node 24 or later; this is ${process.versions.node}\n`);
  process.exit(1);
}

// Caches compiled code next to the installed packages, which halves the time of the next start. Applies to
// modules loaded after this line; without write access it has no effect.
module.enableCompileCache(
  fileURLToPath(new URL("../node_modules/.cache/marquee", import.meta.url)),
);

// The reader of standard output or standard error may stop reading (`| head`) while the service or a command continues.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

const { COMMANDS } = await import("./cli/commands/index.ts");
const { run } = await import("./cli/run.ts");
await run(COMMANDS, process.argv.slice(2), process.env);
