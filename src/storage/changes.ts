/** The change tracking of a database: of this process's own changes, and of those by others. */
export interface Changes {
  /**
   * Returns the last known revision of a project, a number that differs after every change in the project:
   * changes by this store show immediately, changes by others within a second. Undefined if there is no such
   * project, or if the database cannot tell: unknown is not current. Never waits, never throws.
   */
  knownRevision(projectId: string): number | undefined;
  /**
   * Returns a number that differs after every change of signing keys, credentials, roles or webhooks: changes by this
   * store show immediately, changes by others within a second. A new one each time if the database cannot tell. Never
   * waits, never throws.
   */
  accessVersion(): number;
  /** Learns what others had committed before the call, for `knownRevision` and `accessVersion`. */
  catchUp(): Promise<void>;
}
