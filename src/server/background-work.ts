import { randomUUID } from "node:crypto";
import { Retention, type RetentionOptions } from "../outbox/retention.ts";
import { createSender } from "../outbox/send.ts";
import { TrustedClock } from "../outbox/trusted-clock.ts";
import { ActionWorker } from "../outbox/worker.ts";
import type { Tracing } from "../telemetry/tracing.ts";
import type { Application, Surroundings, TargetOptions } from "./application.ts";

/** The options of the work that no request waits for. */
export interface BackgroundOptions extends Surroundings, TargetOptions {
  readonly retention?: RetentionOptions;
  /** Exports traces; absent: requests are not traced. */
  readonly tracing?: Tracing | undefined;
}

/** Begins to send runs, to apply scheduled releases, and to delete expired data. */
export function startBackgroundWork(
  options: BackgroundOptions,
  { schedule }: Pick<Application, "schedule">,
): ActionWorker {
  const { store, log, clock, tracing } = options;
  const { actionsAllowPrivate = false, localTargets = new Map() } = options;
  const sender = createSender({ allowPrivateTargets: actionsAllowPrivate, localTargets });
  const trusted = new TrustedClock({ clock, findNewest: () => store.audit.findNewest(), log });
  return new ActionWorker({
    runs: store.actionRuns,
    releases: schedule,
    retention: new Retention(store, trusted, options.retention ?? {}),
    sender: tracing ? { ...sender, send: tracing.traceSend(sender.send) } : sender,
    clock,
    createId: randomUUID,
    random: Math.random,
    log,
  });
}
