import { getUrl, PROCEDURES } from "../../test/harness/calls.ts";
import { send } from "../../test/harness/http.ts";
import type { DatabaseServer } from "./database-server.ts";
import type { FaultRun } from "./fault.ts";
import { type Probe, startPathProbe, startProbe, summarize } from "./probe.ts";
import type { Service } from "./service.ts";
import { RULESETS } from "./writers.ts";

/** The probes of a service during a fault of its database. */
export interface ServiceProbes {
  /** A list whose response is cached in memory. */
  readonly hot: Probe;
  /** Lists that no client has asked for before. */
  readonly cold: Probe;
  /** Creates rulesets in the demo's second project. */
  readonly write: Probe;
  readonly health: Probe;
  readonly ready: Probe;
  stop(): Promise<void>;
}

/** Starts the probes of a service over the demo. */
export async function startServiceProbes(
  service: Service,
  { credentials }: Pick<DatabaseServer, "credentials">,
): Promise<ServiceProbes> {
  const { url } = service;
  const [{ public_key: key }] = credentials.projects as [(typeof credentials.projects)[number]];
  const list = (message: object) =>
    send("GET", url + getUrl(PROCEDURES.listEvents, message), {
      headers: { authorization: `Bearer ${key}` },
    });
  const probes = {
    hot: startProbe(service, () => list({ pageSize: 3 })),
    cold: startProbe(service, (number) => list({ filter: `id: "cold-${number}"` })),
    write: startProbe(service, (number) =>
      send("POST", `${url}${RULESETS}`, {
        token: credentials.accounts.owner,
        body: { project_id: "sandbox", name: `probe-${number}` },
      }),
    ),
    health: startPathProbe(service, "/healthz"),
    ready: startPathProbe(service, "/readyz"),
  };
  await Promise.all(Object.values(probes).map((it) => it.recover()));
  return {
    ...probes,
    async stop() {
      await Promise.all(Object.values(probes).map((it) => it.stop()));
    },
  };
}

/** The expected results of a probe in a period: the status of all responses, and the longest time, in milliseconds. */
export interface Expected {
  readonly status: number;
  readonly longest: number;
}

/** Checks the responses to requests of a period; each 503 must say when to try again. */
export function checkProbe(
  { check }: FaultRun,
  what: string,
  probe: Probe,
  { from, to }: { readonly from: number; readonly to: number },
  { status, longest }: Expected,
): void {
  const responses = probe.among(from, to);
  const { statuses, slowest, slowestOwn } = summarize(responses);
  const isRight = responses.every(
    (it) => it.status === status && (status !== 503 || it.retryAfter !== null),
  );
  const kept = responses.length > 0 && isRight && slowestOwn <= longest;
  const figure = `${what}: statuses; slowest in ms; without waits for a processor, at most ${longest}`;
  check(figure, `${statuses}; ${slowest}; ${slowestOwn}`, kept);
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
