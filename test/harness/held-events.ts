import type { Store } from "../../src/storage/contract/store.ts";
import { override } from "./override.ts";

/** A store whose list of events waits until it is let go. */
export interface HeldEvents {
  readonly store: Store;
  /** Waits until so many calls wait. */
  arrived(count: number): Promise<void>;
  /** Lets all calls go, those that wait and those to come. */
  release(): void;
}

/** Holds the calls of `events.list` of a store. */
export function holdEvents(store: Store): HeldEvents {
  let waiting = 0;
  let wake = () => {};
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    store: override(store, {
      events: override(store.events, {
        async list(...parameters) {
          waiting += 1;
          wake();
          await released;
          return store.events.list(...parameters);
        },
      }),
    }),
    async arrived(count) {
      while (waiting < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    release: () => release(),
  };
}
