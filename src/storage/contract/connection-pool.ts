import { Durations } from "../../domain/base/durations.ts";

/** The current connections of a pool. */
export interface PoolState {
  readonly inUse: number;
  readonly idle: number;
  /** The callers that wait for a connection, or for their turn on a shared one. */
  readonly waiting: number;
  /** Maximum number of connections; absent without a limit. */
  readonly most?: number;
}

/** Receives a statement that has ended, and its duration in milliseconds. */
export type OnStatement = (text: string, ms: number) => void;

/** The connections of a database for one purpose, with their metrics and traces. */
export class ConnectionPool {
  readonly name: string;
  /** The durations of statements; those sent together to a server count as one. */
  readonly statements = new Durations();
  readonly readState: () => PoolState;
  /** Called for each statement within the context of its caller; absent without a listener. */
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

/** Whether a replica serves all reads, only reads of projects that have not changed recently, or none. */
export type ReplicaState = "used" | "behind" | "unavailable";

/** A replica at its last probe. */
export interface ReplicaHealth {
  /** Its host and port. */
  readonly name: string;
  readonly state: ReplicaState;
  /** How long it has lacked a change that the process knows, in seconds; 0 if it lacks none. */
  readonly lagSeconds: number;
}

/** Receives each change of state that an operator has to know: details, and a text to search for. */
export interface StateLog {
  info(details: object, text: string): void;
  warn(details: object, text: string): void;
  error(details: object, text: string): void;
  /** Writes the lines that wait for their batch; absent: none wait. */
  flush?(): void;
}
