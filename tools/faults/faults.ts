import { endProcesses } from "../../test/harness/process.ts";
import { readArguments, rejectArguments } from "../arguments.ts";
import type { Fault, FaultRun } from "./fault.ts";

// `npm run faults`: injects faults into real processes, and prints what happened. Exits with 1 if a condition is
// broken.
//
//   npm run faults -- killed-worker full-disk    some faults
//   npm run faults -- --quick                    few repetitions, to try the faults out
//   npm run faults -- --engine postgres          on PostgreSQL; default: SQLite
const NAMES = [
  "killed-worker",
  "killed-process",
  "simultaneous-starts",
  "full-disk",
  "corrupt-page",
  "clock-jump",
  "clock-ahead",
  "idle-connections",
  "rolling-restart",
  "rolling-upgrade",
  "slow-reads",
  "hanging-receiver",
  "litestream",
  "standby",
  "killed-database",
  "expired-requests",
  "database-away",
  "half-open",
  "statistics-deleted",
  "pool-exhausted",
  "pooler",
  "slow-commits",
  "out-of-order-commits",
  "point-in-time",
] as const;

const { values, positionals } = readArguments({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    engine: { type: "string", default: "sqlite" },
  },
});
const unknown = positionals.filter((name) => !NAMES.some((it) => it === name));
if (unknown.length > 0) rejectArguments(`no such fault: ${unknown}; there are ${NAMES.join(", ")}`);

// Read by the modules that create databases, which are imported later for this reason.
process.env.MARQUEE_TEST_ENGINE = values.engine;
const { ENGINE } = await import("../../test/harness/engine.ts");
const { setup } = await import("../../test/harness/template-databases.ts");
const { setup: setUpPostgres } = await import("../../test/harness/postgres-databases.ts");
const removeTemplates = await setup();
const stopPostgres = ENGINE === "postgres" ? await setUpPostgres() : undefined;
const rows: string[] = [];
try {
  for (const name of NAMES) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const { fault } = (await import(`./${name}.ts`)) as { readonly fault: Fault };
    if (fault.engines.includes(ENGINE)) await bringAbout(fault);
  }
} finally {
  endProcesses();
  await stopPostgres?.();
  await removeTemplates?.();
}
console.log(["| Fault | Figure | Value | |", "|---|---|---|---|", ...rows].join("\n"));
if (values.quick) console.log("\nA quick run: its values are not results.");
// Some faults leave connections behind.
process.exit();

async function bringAbout({ title, run }: Fault): Promise<void> {
  const add = (figure: string, value: string | number, verdict: string) => {
    const row = `| ${title} | ${figure} | ${value} | ${verdict} |`;
    rows.push(row);
    console.error(row);
  };
  const faultRun: FaultRun = {
    isQuick: values.quick,
    report: (figure, value) => add(figure, value, ""),
    check(figure, value, isKept) {
      if (!isKept) process.exitCode = 1;
      add(figure, value, isKept ? "held" : "BROKEN");
    },
  };
  const start = performance.now();
  try {
    await run(faultRun);
  } catch (cause) {
    console.error(cause);
    faultRun.check("ended early", cause instanceof Error ? cause.message : String(cause), false);
  } finally {
    endProcesses();
  }
  add("duration in s", Math.round((performance.now() - start) / 1_000), "");
}
