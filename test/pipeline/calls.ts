import type { DescMethod } from "@bufbuild/protobuf";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import type { ProjectReads } from "../../src/api/reads/project-reads.ts";
import { DeliveryCall } from "../../src/api/steps/delivery-call.ts";
import type { AccountCaller, IncomingCall } from "../../src/api/steps/incoming-call.ts";
import { WorkBudget } from "../../src/domain/base/work-budget.ts";
import type { Account } from "../../src/storage/contract/access.ts";
import { IN_ALPHA } from "../storage/small-dataset.ts";

/** The time of all calls. */
export const NOW = new Date("2026-03-01T00:00:00Z");

/** A budget that never ends. */
export const BUDGET = new WorkBudget({ clock: () => 0, pause: async () => {} });

/** Creates a call of a method as a protocol receives it. */
export function createIncoming(method: DescMethod): IncomingCall {
  return {
    method,
    request: { requestId: "r", now: NOW, address: "", trustsHeaders: false },
    headers: {},
    signal: new AbortController().signal,
    responseHeaders: {},
    responseTrailers: {},
  };
}

/** Creates the caller of an account that is authenticated. */
export function createAccountCaller(account: Account): AccountCaller {
  return { kind: "account", account, responseKey: new Uint8Array(32) };
}

/** Creates a call of the Delivery API with a public key of the first project. */
export function createDeliveryCall(reads: ProjectReads, budget: WorkBudget): DeliveryCall {
  const caller = { kind: "project", key: { ...IN_ALPHA, kind: "public" } } as const;
  const incoming = createIncoming(EventService.method.listEvents);
  return new DeliveryCall(incoming, caller, { reads, budget });
}
