import { findFreePort } from "../../test/harness/free-port.ts";
import { startBalancer } from "./balancer.ts";
import { createDemoDatabase } from "./database.ts";
import type { Fault, FaultRun } from "./fault.ts";
import { startReaders } from "./readers.ts";
import { type Service, startService } from "./service.ts";
import { listRulesets, RULESETS, startWriters, toRuleset } from "./writers.ts";

/** How long a process that ends still accepts requests, in seconds. */
const DRAIN = "2";

export const fault: Fault = {
  title: "rolling restart under load",
  engines: ["sqlite", "postgres"],
  async run(run) {
    await restartUnderLoad(run, run.isQuick ? 2 : 10);
  },
};

/**
 * Restarts two processes behind a balancer one after the other, under reads and writes that are not repeated. Those
 * that are restarted run the checkout in the folder `next`; default: this one. Returns the migration of the database.
 */
export async function restartUnderLoad(
  { report, check }: Omit<FaultRun, "isQuick">,
  restarts: number,
  next?: string,
): Promise<number> {
  const database = await createDemoDatabase();
  const { owner: token } = database.credentials.accounts;
  const key = database.credentials.projects[0]?.public_key ?? "";
  const ports = [await findFreePort(), await findFreePort()];
  const flags = ["--drain-seconds", DRAIN];
  const start = (port: number, root?: string) =>
    startService({ database: database.setting, port, flags, ...(root !== undefined && { root }) });
  const services: Service[] = await Promise.all(ports.map((port) => start(port)));
  const balancer = await startBalancer(ports);

  const readers = startReaders(balancer.url, key, 8);
  const writers = startWriters({
    ...{ url: balancer.url, token, prefix: "rolling-", count: 4, pause: 5 },
    ...{ path: RULESETS, toBody: toRuleset },
  });
  const codes = new Set<number | null | undefined>();
  for (let restart = 0; restart < restarts; restart += 1) {
    const turn = restart % services.length;
    codes.add(await services[turn]?.stop());
    services[turn] = await start(ports[turn] ?? 0, next);
  }
  await Promise.all([readers.stop(), writers.stop()]);

  report("restarts", restarts);
  check(`failed reads, of ${readers.count()}`, readers.failures(), readers.failures() === 0);
  const failedWrites = writers.lost() + writers.unavailable();
  const written = writers.acknowledged.size;
  check(`failed writes, of ${written}`, failedWrites, failedWrites === 0);
  report("requests repeated because no connection could be opened", balancer.retries());
  const names = await listRulesets(balancer.url, token);
  const own = names.filter((name) => name.startsWith("rolling-")).length;
  check("writes stored", own, own === written);
  const ready = await fetch(`${balancer.url}/readyz`);
  const { schema } = (await ready.json()) as { readonly schema: number };
  for (const service of services) codes.add(await service.stop());
  check("exit codes", [...codes].join(), codes.size === 1 && codes.has(0));
  balancer.close();
  await database.close();
  return schema;
}
