import { setTimeout } from "node:timers/promises";
import { type Receiver, startReceiver } from "../../test/outbox/receiver.ts";
import { ANNOTATIONS, createHook } from "./action.ts";
import type { FaultRun } from "./fault.ts";
import { listRulesets, RULESETS, startWriters, toRuleset, type Writers } from "./writers.ts";

/** The longest that a run of an action waits for the lease of a killed process, in milliseconds. */
const LEASE = 60_000;

/** Writers that repeat lost writes with their `request_id`: 8 that create rulesets, 2 that trigger actions. */
export interface OutboxLoad {
  readonly writers: Writers;
  /** Ends the writes, waits for the runs of actions, and reports what was lost and stored or sent twice. */
  finish(run: FaultRun): Promise<void>;
}

/** The flags of a service with that load. */
export const OUTBOX_FLAGS = ["--actions-allow-private"];

/** Starts the load. */
export async function startOutboxLoad(url: string, token: string): Promise<OutboxLoad> {
  const received = await startReceiver((_request, response) => response.end());
  await createHook({ url, token }, "corner", received);
  const writers = startWriters({
    ...{ url, token, prefix: "ruleset-", count: 8, path: RULESETS, toBody: toRuleset },
  });
  const annotators = startWriters({
    ...{ url, token, prefix: "annotation-", count: 2, pause: 20 },
    path: ANNOTATIONS,
    toBody: () => ({ project_id: "worldcup", type_id: "corner" }),
  });
  return {
    writers,
    async finish(run) {
      await Promise.all([writers.stop(), annotators.stop()]);
      checkWrites(run, writers, await listRulesets(url, token));
      await checkRuns(run, annotators, received);
      await received.close();
    },
  };
}

/** Checks that every acknowledged write is stored once. */
export function checkWrites(
  { report, check }: FaultRun,
  writers: Writers,
  names: readonly string[],
): void {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  const wanted = [...writers.acknowledged.keys()];
  report("writes acknowledged", wanted.length);
  report("attempts without a response, and 503", `${writers.lost()}, ${writers.unavailable()}`);
  const missing = wanted.filter((name) => !times.has(name)).length;
  check("acknowledged writes missing", missing, wanted.length > 0 && missing === 0);
  const twice = wanted.filter((name) => (times.get(name) ?? 0) > 1).length;
  check("writes stored twice", twice, twice === 0);
}

async function checkRuns(
  { report, check }: FaultRun,
  annotators: Writers,
  received: Pick<Receiver, "requests">,
): Promise<void> {
  const runs = [...annotators.acknowledged.values()].flatMap(({ json }) =>
    json.action_runs.map((run: { readonly id: string }) => run.id),
  );
  const delivered = () => received.requests.map(({ headers }) => headers["webhook-id"]);
  const countLost = () => {
    const ids = new Set(delivered());
    return runs.filter((id) => !ids.has(id)).length;
  };
  const end = performance.now() + LEASE + 30_000;
  while (countLost() > 0 && performance.now() < end) await setTimeout(500);
  report("runs of actions", runs.length);
  check("runs lost", countLost(), runs.length > 0 && countLost() === 0);
  report("runs delivered again", delivered().length - new Set(delivered()).size);
}
