import type { DomainError } from "../../src/domain/base/errors.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { override } from "./override.ts";

/** Makes a store whose lists of events and transactions throw. */
export function failLists(store: Store, error: () => DomainError | Error): Store {
  const list = async () => {
    throw error();
  };
  return override(store, {
    events: override(store.events, { list }),
    transactions: override(store.transactions, { list }),
  });
}
