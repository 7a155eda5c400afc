import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

// `node tools/bench/profile.ts FILE…`: the shares of folders, packages and Node in the CPU time of profiles that
// `npm run bench -- SECTION --profile DIR` wrote.
const LEAST_SHARE = 0.005;

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

for (const path of process.argv.slice(2)) {
  const shares = summarize(JSON.parse(readFileSync(path, "utf8")) as Profile);
  console.log(`\n${path}\n\n| Where | Share |\n|---|---|`);
  for (const [name, share] of shares) {
    if (share >= LEAST_SHARE) console.log(`| ${name} | ${(share * 100).toFixed(1)} % |`);
  }
}

/** Adds up the time in functions themselves, without the functions that they call; idle time does not count. */
function summarize({ nodes, samples, timeDeltas }: Profile): [name: string, share: number][] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? "";
    if (name === "(idle)") continue;
    const time = timeDeltas[index] ?? 0;
    times.set(name, (times.get(name) ?? 0) + time);
    total += time;
  }
  return Array.from(times, ([name, time]): [string, number] => [name, time / total]).sort(
    ([, a], [, b]) => b - a,
  );
}

/** Names a function by its folder or package, or as a part of Node; a native one by its own name. */
function nameOf({ functionName, url }: Profile["nodes"][number]["callFrame"]): string {
  if (url.startsWith("node:")) return url.split("/").slice(0, 2).join("/");
  if (!url.startsWith("file:")) return functionName;
  const path = relative(process.cwd(), fileURLToPath(url));
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return name ?? dirname(path);
}
