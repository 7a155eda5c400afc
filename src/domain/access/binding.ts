import { invalidField } from "../errors.ts";
import type { ResourceKey } from "../messages/resource-key.ts";

/** What the service makes and removes by itself: a binding on it would outlive it. */
const FLEETING: ReadonlySet<string> = new Set(["action_run", "entitlement"]);

/** Checks that a binding may be on a resource of this type. INVALID_ARGUMENT `RESOURCE_TYPE_INVALID`. */
export function checkBindable({ type }: ResourceKey, field: string): void {
  if (!FLEETING.has(type)) return;
  throw invalidField(field, "RESOURCE_TYPE_INVALID", `there are no bindings on a single ${type}`);
}
