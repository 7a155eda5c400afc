import { cpus } from "node:os";
import { rejectArguments } from "../arguments.ts";
import { measureColdReads } from "./cold-reads.ts";
import { measureCounts } from "./counts.ts";
import { measureHomePage } from "./home-page.ts";
import { measureHotReads } from "./hot-reads.ts";
import { measureManyEvents } from "./many-events.ts";
import { measureMemory } from "./memory.ts";
import { readOptions } from "./options.ts";
import { measurePreview } from "./preview.ts";
import type { Section } from "./section.ts";
import { createServers } from "./servers.ts";
import { measureStart } from "./start-time.ts";
import { measureStudio } from "./studio.ts";
import { measureStudioLists } from "./studio-lists.ts";
import { createTable } from "./table.ts";
import { measureWaits } from "./waits.ts";
import { measureWindows } from "./windows.ts";

// `npm run bench`: speed and size as ratios, CPU times and bytes within one run. Every server is a process of its
// own on the same machine, which needs Linux (/proc, taskset) and two cores.
//
//   npm run bench -- cold studio       some sections
//   npm run bench -- --quick           a short run, to try the benchmarks out
//   npm run bench -- 100000            fewer than a million events
//   npm run bench -- memory --minutes 60
//   npm run bench -- cold --profile profiles
const SECTIONS: Readonly<Record<string, Section>> = {
  hot: measureHotReads,
  cold: measureColdReads,
  page: measureHomePage,
  studio: measureStudio,
  lists: measureStudioLists,
  preview: measurePreview,
  start: measureStart,
  memory: measureMemory,
  events: measureManyEvents,
  counts: measureCounts,
  waits: measureWaits,
  windows: measureWindows,
};

const { plan, sections, profile, isQuick } = readOptions(process.argv.slice(2));
const unknown = sections.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0) {
  rejectArguments(`no such section: ${unknown}; there are ${Object.keys(SECTIONS)}`);
}

const table = createTable();
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (sections.length > 0 && !sections.includes(name)) continue;
  const servers = createServers(name, profile);
  try {
    await measure({ plan, table, servers });
  } finally {
    await servers.close();
  }
}
const [cpu] = cpus();
console.log(`${cpus().length} cores of ${cpu?.model}, Node ${process.version}`);
console.log(table.print());
if (isQuick) console.log("\nA quick run: its values are not results.");
