import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { BrowserPage } from "./http/endpoints/documents.ts";
import { Retention } from "./outbox/retention.ts";
import { createSender } from "./outbox/send.ts";
import { TrustedClock } from "./outbox/trusted-clock.ts";
import { ActionWorker } from "./outbox/worker.ts";
import {
  type Application,
  type ApplicationOptions,
  openApplication,
  type Surroundings,
} from "./server/application.ts";
import { type ListenerOptions, Listeners } from "./server/listeners.ts";

/** The dependencies and options of a server, part by part. The caller closes the store. */
export interface ServerOptions extends Omit<ApplicationOptions & ListenerOptions, "clock"> {
  /** Returns the time; absent: by the clock of the machine. */
  readonly clock?: () => Date;
  /** True to send runs, apply scheduled releases and delete expired data in this process; absent: true. */
  readonly runsActions?: boolean;
}

/** A running server. */
export interface Server {
  /** The base URL of the Studio API. */
  readonly studioUrl: string;
  /** The base URL of the Delivery API. */
  readonly deliveryUrl: string;
  /** The pages for browsers that are on. */
  readonly pages: readonly BrowserPage[];
  /**
   * Stops accepting requests and finishes those in progress within the grace period, in milliseconds. For `drain`
   * milliseconds before that (default: 0) it still accepts them, but reports that it is not ready.
   */
  close(grace: number, drain?: number): Promise<void>;
}

/** Composes the whole service and starts it; returns when it is listening. */
export async function startServer(given: ServerOptions): Promise<Server> {
  const options = { clock: () => new Date(), ...given };
  const { store, tracing, runsActions = true } = options;
  warnOfMissingProxies(options);
  if (tracing !== undefined) for (const pool of store.pools) tracing.watch(pool);
  let worker: ActionWorker | undefined;
  const application = await openApplication(options, () => worker?.wake());
  const listeners = new Listeners(options, application, () => worker?.counts ?? {});
  const urls = await listeners.open();
  if (runsActions) worker = startBackgroundWork(options, application);
  return {
    ...urls,
    pages: listeners.pages,
    async close(grace, drain = 0) {
      if (drain > 0) {
        listeners.drain();
        await setTimeout(drain);
      }
      application.places.close();
      await Promise.all([listeners.close(grace), worker?.close(grace)]);
      await tracing?.close();
    },
  };
}

/** Begins to send runs, to apply scheduled releases, and to delete expired data. */
function startBackgroundWork(
  options: ServerOptions & Surroundings,
  { schedule }: Pick<Application, "schedule">,
): ActionWorker {
  const { store, log, clock, tracing } = options;
  const { actionsAllowPrivate = false, localTargets = new Map(), retention = {} } = options;
  const sender = createSender({ allowPrivateTargets: actionsAllowPrivate, localTargets });
  const trusted = new TrustedClock({ clock, findNewest: () => store.audit.findNewest(), log });
  return new ActionWorker({
    runs: store.actionRuns,
    releases: schedule,
    retention: new Retention(store, trusted, retention),
    sender: tracing ? { ...sender, send: tracing.traceSend(sender.send) } : sender,
    clock,
    createId: randomUUID,
    random: Math.random,
    log,
  });
}

function warnOfMissingProxies({ log, location = {}, limits = {} }: ServerOptions): void {
  const { trustedProxies = [], countryHeader, vpnHeader } = location;
  if (trustedProxies.length > 0) return;
  if ((countryHeader ?? vpnHeader) !== undefined) {
    log.warn(
      "--country-header or --vpn-header without --trusted-proxies: any client can forge these headers",
    );
  }
  if ((limits.rateQuotas?.perAddress ?? 0) > 0) {
    log.warn(
      "--rate-per-address without --trusted-proxies: all callers behind a proxy share its limit",
    );
  }
}
