import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Compiled code is kept beside the installed packages: the next start takes about half the time.
// It works for modules that are loaded after this line, and does nothing where it cannot write.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/marquee", import.meta.url)));

// Whoever reads what is printed may stop reading (`| head`); the service goes on.
process.stdout.on("error", () => {});

const { run } = await import("./cli/run.ts");
await run(process.argv.slice(2), process.env);
