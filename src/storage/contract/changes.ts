/** The change tracking of a database: changes by this process and by others. */
export interface Changes {
  /**
   * Returns the last known revision of a project, a number that differs after every change in the project. Changes by
   * this store show immediately, changes by others within a second. Undefined if the project does not exist, or if
   * the database cannot be read: unknown is not current. Never waits, never throws.
   */
  knownRevision(projectId: string): number | undefined;
  /**
   * Returns a number that differs after every change of signing keys, credentials, roles or webhooks. Changes by this
   * store show immediately, changes by others within a second. If the database cannot be read, every call returns a
   * new number. Never waits, never throws.
   */
  accessVersion(): number;
  /** Reads the changes that others had committed before the call, for `knownRevision` and `accessVersion`. */
  catchUp(): Promise<void>;
}
