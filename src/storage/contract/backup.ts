/** Counts the contents of a database. */
export interface DatabaseContents {
  /** The number of the last applied migration. */
  readonly migration: number;
  /** The number of resources of each kind, in display order. */
  readonly counts: readonly (readonly [kind: string, count: number])[];
}

/** The progress of a backup or restore, in bytes; a check takes about as long as a copy. */
export type CopyProgress =
  | { readonly step: "copy"; readonly bytes: number; readonly size: number }
  | { readonly step: "check" };

/** Options of a backup. */
export interface BackupOptions {
  readonly onProgress?: (progress: CopyProgress) => void;
}

/** Summarizes a backup. */
export interface BackupSummary extends DatabaseContents {
  /** The size of the backup, in bytes. */
  readonly bytes: number;
}

/** Options of a restore. */
export interface RestoreOptions {
  /** True to replace an existing database. Default: an existing database is an error. */
  readonly replace?: boolean;
}

/** Summarizes a restore. */
export interface RestoreSummary extends DatabaseContents {
  /** The size of the database, in bytes. */
  readonly bytes: number;
  /** The path of the replaced database; absent if there was none. */
  readonly former?: string;
}
