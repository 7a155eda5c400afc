import type { Interceptor } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { Store } from "../storage/store.ts";
import { createPermissionInterceptor } from "./authorize.ts";
import { cacheControlInterceptor } from "./cache-control.ts";
import { createErrorInterceptor } from "./errors.ts";
import { requestValuesInterceptor } from "./request-values.ts";
import { createChangesInterceptor } from "./unit-of-work.ts";
import { inputRulesInterceptor } from "./validate.ts";
import { createWorkInterceptor } from "./work-budget.ts";
import { createWorkTurns } from "./work-turns.ts";

/** What the chain needs. */
export interface InterceptorDependencies {
  readonly log: Logger;
  readonly store: Store;
  readonly createId: () => string;
}

/**
 * Creates the one chain that every call of a `svc.` method goes through, on every face. The first is
 * the outermost: errors see what all others throw; values that cannot be read are a matter of parsing;
 * permission is decided before the rules of input, so that who may not know of a resource learns
 * nothing from them (CONTRACT 3, order of checks); and what is left is one unit of work, whose
 * reads have one budget.
 */
export function createInterceptors(dependencies: InterceptorDependencies): Interceptor[] {
  return [
    createErrorInterceptor(dependencies.log),
    cacheControlInterceptor,
    requestValuesInterceptor,
    createPermissionInterceptor(dependencies.store.access),
    inputRulesInterceptor,
    createWorkInterceptor({ clock: () => performance.now(), pause: createWorkTurns() }),
    createChangesInterceptor(dependencies.store, dependencies.createId),
  ];
}
