import type { Message } from "@bufbuild/protobuf";
import { type ContextValues, createContextKey } from "@connectrpc/connect";
import type { ResourceName } from "../domain/messages/references.ts";
import type { Store } from "../storage/store.ts";

const UNSET = Symbol("unset");

/** The store that a management call works with: in a write, one transaction for the whole call. */
export const storeKey = createContextKey<Store | typeof UNSET>(UNSET);

/** The resource that a call has written, where it is not the one that its permission is about. */
export const changedKey = createContextKey<ResourceName | undefined>(undefined);

/** What an earlier call with the same `request_id` was answered. */
export interface RepeatedAnswer {
  readonly message: Message;
  /** Names and values. */
  readonly headers: readonly (readonly [string, string])[];
}

/** The answer that a repeated call gets in the place of being carried out. */
export const repeatedKey = createContextKey<RepeatedAnswer | undefined>(undefined);

/** What a call does when its writes are kept; a write that is tried again begins with none. */
export const afterCommitKey = createContextKey<(() => void)[]>([]);

/** Does something outside the store when the writes of a call are kept, and nothing if they are not. */
export function afterCommit(values: ContextValues, effect: () => void): void {
  values.get(afterCommitKey).push(effect);
}

/** Gets the store of a management call. */
export function getStore(values: ContextValues): Store {
  const store = values.get(storeKey);
  if (store === UNSET) throw new Error("the call has no store");
  return store;
}

/** Notes which resource a call has made, for the audit. */
export function noteChange(values: ContextValues, resource: ResourceName): void {
  values.set(changedKey, resource);
}
