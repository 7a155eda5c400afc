import type { DescMethod } from "@bufbuild/protobuf";
import type { AccountCaller, IncomingCall } from "../../src/api/steps/incoming-call.ts";
import { WorkBudget } from "../../src/domain/base/work-budget.ts";
import type { Account } from "../../src/storage/contract/access.ts";

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
