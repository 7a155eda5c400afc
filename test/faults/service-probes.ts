import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { send } from "../harness/http.ts";
import type { DatabaseServer } from "./database-server.ts";
import type { FaultRun } from "./fault.ts";
import { type Probe, startPathProbe, startProbe, summarize } from "./probe.ts";
import { RULESETS } from "./writers.ts";

/** What a service is asked for during a fault of its database. */
export interface ServiceProbes {
  /** A list whose answer is kept in memory. */
  readonly hot: Probe;
  /** Lists that nobody has asked for before. */
  readonly cold: Probe;
  /** Creates rulesets in the demo's second project. */
  readonly write: Probe;
  readonly health: Probe;
  readonly ready: Probe;
  stop(): Promise<void>;
}

/** Starts the probes of a service over the demo. */
export async function startServiceProbes(
  url: string,
  { credentials }: Pick<DatabaseServer, "credentials">,
): Promise<ServiceProbes> {
  const [{ public_key: key }] = credentials.projects as [(typeof credentials.projects)[number]];
  const list = (message: object) =>
    send("GET", url + getUrl(PROCEDURES.listEvents, message), {
      headers: { authorization: `Bearer ${key}` },
    });
  const probes = {
    hot: startProbe(() => list({ pageSize: 3 })),
    cold: startProbe((number) => list({ filter: `id: "cold-${number}"` })),
    write: startProbe((number) =>
      send("POST", `${url}${RULESETS}`, {
        token: credentials.accounts.owner,
        body: { project_id: "sandbox", name: `probe-${number}` },
      }),
    ),
    health: startPathProbe(url, "/healthz"),
    ready: startPathProbe(url, "/readyz"),
  };
  await Promise.all(Object.values(probes).map((it) => it.recover()));
  return {
    ...probes,
    async stop() {
      await Promise.all(Object.values(probes).map((it) => it.stop()));
    },
  };
}

/** What is expected of a probe in a period: the status of all answers, and the longest time, in milliseconds. */
export interface Expected {
  readonly status: number;
  readonly longest: number;
}

/** Checks the answers to requests of a period; each 503 must say when to try again. */
export function checkProbe(
  { check }: FaultRun,
  what: string,
  probe: Probe,
  { from, to }: { readonly from: number; readonly to: number },
  { status, longest }: Expected,
): void {
  const answers = probe.among(from, to);
  const { statuses, slowest } = summarize(answers);
  const isRight = answers.every(
    (it) => it.status === status && (status !== 503 || it.retryAfter !== null),
  );
  const kept = answers.length > 0 && isRight && slowest <= longest;
  check(`${what}: statuses; slowest in ms, at most ${longest}`, `${statuses}; ${slowest}`, kept);
}

/** Checks within how many milliseconds from now on each probe has a 200. */
export async function checkRecovery(
  { check }: FaultRun,
  what: string,
  { cold, write, ready }: ServiceProbes,
  longest: number,
): Promise<void> {
  const times = await Promise.all([cold, write, ready].map((it) => it.recover()));
  const isKept = times.every((it) => it <= longest);
  check(`${what}: ms until a cold read, a write and /readyz are 200`, times.join(", "), isKept);
}
