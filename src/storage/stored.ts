/**
 * A message as it is stored. `revision` differs after every change of the message and never comes
 * back, also not when an id is deleted and made again.
 */
export interface Stored<T> {
  readonly value: T;
  readonly revision: number;
}
