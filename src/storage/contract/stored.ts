/**
 * A stored message. `revision` changes with every change of the message and is never reused, not even when an id is
 * deleted and created again.
 */
export interface Stored<T> {
  readonly value: T;
  readonly revision: number;
}
