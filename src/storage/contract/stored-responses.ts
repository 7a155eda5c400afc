import type { Account } from "./access.ts";

/** The stored response to a call with a request id. */
export interface StoredResponse {
  readonly account: Account;
  readonly requestId: string;
  /** The hash of the request. */
  readonly requestHash: Uint8Array;
  /** Encrypted. */
  readonly response: Uint8Array;
  readonly expireTime: Date;
}

/** The stored responses to calls with a request id. */
export interface StoredResponseStore {
  /** Finds the response to a call that has not expired at `now`; undefined if there is none. */
  find(account: Account, requestId: string, now: Date): Promise<StoredResponse | undefined>;
  /** Stores a response, replacing one that has expired at `now`. */
  keep(response: StoredResponse, now: Date): Promise<void>;
  /** Deletes at most `limit` responses that have expired at `now`, the oldest first; returns the number deleted. */
  prune(now: Date, limit: number): Promise<number>;
}
