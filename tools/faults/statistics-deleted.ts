import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { getUrl, PROCEDURES } from "../../test/harness/calls.ts";
import { createFolder } from "../../test/harness/folder.ts";
import { send } from "../../test/harness/http.ts";
import { MARQUEE, run as runProgram } from "../../test/harness/process.ts";
import { createEventFile } from "../bench/event-database.ts";
import { QUERY_KINDS, type QueryKind } from "../bench/queries.ts";
import { type DatabaseServer, startDatabaseServer } from "./database-server.ts";
import type { Fault } from "./fault.ts";
import { startService } from "./service.ts";

/** Events of the project. */
const EVENTS = 20_000;

/** The most that the median of a query may grow, as times of a busy machine vary. */
const MOST_RATIO = 5;

/** Logs the plan of every statement. */
const SETTINGS = [
  ...["logging_collector=on", "log_directory=log", "log_filename=server.log", "autovacuum=off"],
  ...["session_preload_libraries=auto_explain", "auto_explain.log_min_duration=0"],
  "auto_explain.log_parameter_max_length=0",
];

/** Deletes the statistics of the planner, which also lack after an import. */
export const fault: Fault = {
  title: "statistics of the planner deleted",
  engines: ["postgres"],

  async run({ isQuick, report, check }) {
    const events = isQuick ? EVENTS / 10 : EVENTS;
    const requests = isQuick ? 10 : 100;
    const server = await startDatabaseServer(SETTINGS);
    await importEvents(server, events);
    report("events", events);
    const client = await server.connect();
    await client.query("analyze");
    const before = await measure(server, requests);
    await client.query("delete from pg_statistic");
    const after = await measure(server, requests);
    const { rows } = await client.query("select count(*)::int as count from pg_statistic");
    check("rows of pg_statistic at the end", rows[0].count, rows[0].count === 0);
    for (const { name } of QUERY_KINDS) {
      const [was, is] = [before.get(name), after.get(name)] as [Measured, Measured];
      const ratio = is.p50 / was.p50;
      const times = [was.p50, is.p50].map((it) => it.toFixed(1)).join(", ");
      check(
        `${name}: ms before, after (p50); at most ${MOST_RATIO} times`,
        times,
        ratio < MOST_RATIO,
      );
      const both = [...was.plans].filter(([text]) => is.plans.has(text));
      const changed = both.filter(([text, plan]) => is.plans.get(text) !== plan);
      const kept = both.length > 0 && changed.length === 0;
      check(
        `${name}: statements whose indexes, joins or order changed, of ${both.length}`,
        changed.length,
        kept,
      );
      for (const [text, plan] of changed)
        console.error(`${text}\n${plan}\n---\n${is.plans.get(text)}\n===`);
    }
    await client.end();
    await server.close();
  },
};

async function importEvents({ setting }: DatabaseServer, count: number): Promise<void> {
  const folder = createFolder();
  const file = await createEventFile(join(folder.path, "events.ndjson"), count, "worldcup");
  const args = MARQUEE.args("import", file, "--database", setting);
  const { code, stderr } = await runProgram(MARQUEE.program, args);
  folder.remove();
  if (code !== 0) throw new Error(`not imported: ${stderr}`);
}

/** The median of a kind of query, in milliseconds, and the plans of its statements by their texts. */
interface Measured {
  readonly p50: number;
  readonly plans: ReadonlyMap<string, string>;
}

/** Measures all kinds of queries with a service of their own, so that its statements are prepared again. */
async function measure(
  server: DatabaseServer,
  requests: number,
): Promise<ReadonlyMap<string, Measured>> {
  const key = server.credentials.projects[0]?.public_key ?? "";
  const log = join(server.data, "log/server.log");
  const service = await startService({ database: server.setting, flags: ["--cache-mib", "0"] });
  const measured = new Map<string, Measured>();
  for (const kind of QUERY_KINDS) {
    const from = statSync(log).size;
    const times: number[] = [];
    for (let number = 0; number < requests; number += 1) {
      times.push(await list(service.url, key, kind, number));
    }
    const p50 = times.toSorted((a, b) => a - b)[Math.floor(requests / 2)] ?? Number.NaN;
    measured.set(kind.name, { p50, plans: readPlans(readFrom(log, from)) });
  }
  await service.stop();
  return measured;
}

async function list(url: string, key: string, kind: QueryKind, number: number): Promise<number> {
  const message = { filter: kind.filterOf(number), order: kind.order, pageSize: 20 };
  const start = performance.now();
  const { status, text } = await send("GET", url + getUrl(PROCEDURES.listEvents, message), {
    headers: { authorization: `Bearer ${key}` },
  });
  if (status !== 200) throw new Error(`not listed: ${text}`);
  return performance.now() - start;
}

function readFrom(path: string, from: number): string {
  return readFileSync(path).subarray(from).toString();
}

/** Reads the plans of a log, by the texts of their statements. */
function readPlans(log: string): ReadonlyMap<string, string> {
  const entry = /plan:\n\tQuery Text: ([\s\S]*?)\n\t([A-Z][^\n]* {2}\(cost=[\s\S]*?)(?=\n\S|$)/g;
  const plans = new Map<string, string>();
  for (const [, text = "", plan = ""] of log.matchAll(entry)) {
    if (/\bcontent/.test(text)) plans.set(text, toAccessPaths(plan));
  }
  return plans;
}

/**
 * Returns the joins, sorts, indexes and conditions of a plan. Without statistics a bitmap may be made of the same
 * index by the same condition, which reads the same entries, and look-ups of one row may be in another order.
 */
function toAccessPaths(plan: string): string {
  return plan
    .replaceAll(/ {2}\(cost=[^)]*\)/g, "")
    .split("\n")
    .map((line) =>
      line.replace(/^[\s>-]*/, "").replace(/^(Bitmap )?Index Scan (using|on) (\w+).*/, "Index $3"),
    )
    .map((line) =>
      line.replace(/^Filter: \((.*)\)$/, (_, tests) => `Filter: ${tests.split(" AND ").sort()}`),
    )
    .filter((line) => line !== "" && !/^(Bitmap Heap Scan|Recheck Cond)/.test(line))
    .sort()
    .join("\n");
}
