import { Durations } from "../domain/durations.ts";

/** The connections of a pool at the moment. */
export interface PoolState {
  readonly inUse: number;
  readonly idle: number;
  /** The callers that wait for a connection, or for their turn on a shared one. */
  readonly waiting: number;
  /** The most connections; absent if there is no limit. */
  readonly most?: number;
}

/** Receives a statement that has ended, and its duration in milliseconds. */
export type OnStatement = (text: string, ms: number) => void;

/** The connections of a database for one purpose, as metrics and traces see them. */
export class ConnectionPool {
  readonly name: string;
  /** The durations of statements; those sent together to a server count as one. */
  readonly statements = new Durations();
  readonly readState: () => PoolState;
  /** Called for each statement within the context of whoever waits for it; absent: nobody listens. */
  onStatement: OnStatement | undefined;

  constructor(name: string, readState: () => PoolState) {
    this.name = name;
    this.readState = readState;
  }

  /** Counts a statement that has ended; `start` is the `performance.now()` of its beginning. */
  count(text: string, start: number): void {
    const ms = performance.now() - start;
    this.statements.add(ms);
    this.onStatement?.(text, ms);
  }
}

/** Whether a replica serves reads: all, or only those of projects that have not changed recently, or none. */
export type ReplicaState = "used" | "behind" | "unavailable";

/** A replica as it was last probed. */
export interface ReplicaHealth {
  /** Its host and port. */
  readonly name: string;
  readonly state: ReplicaState;
  /** For how long it has lacked a change that the process knows, in seconds; 0 if it lacks none. */
  readonly lagSeconds: number;
}

/** Receives what an operator has to know, once for each change of state: details, and a text to search for. */
export interface StateLog {
  info(details: object, text: string): void;
  warn(details: object, text: string): void;
}
