/** What a database holds, in numbers. */
export interface DatabaseContents {
  /** The number of its last migration. */
  readonly migration: number;
  /** How much there is of each kind, in the order in which it is shown. */
  readonly counts: readonly (readonly [kind: string, count: number])[];
}

/** How far a backup or a restore is, in bytes; a check takes about as long as a copy. */
export type CopyProgress =
  | { readonly step: "copy"; readonly bytes: number; readonly size: number }
  | { readonly step: "check" };

/** How a database is backed up. */
export interface BackupOptions {
  readonly onProgress?: (progress: CopyProgress) => void;
}

/** What was backed up. */
export interface BackupSummary extends DatabaseContents {
  /** The size of the backup. */
  readonly bytes: number;
}

/** How a backup is restored. */
export interface RestoreOptions extends BackupOptions {
  /** Whether a database that is there already makes way. Default: it is refused. */
  readonly replace?: boolean;
}

/** What was restored. */
export interface RestoreSummary extends DatabaseContents {
  /** The size of the database. */
  readonly bytes: number;
  /** False: the backup was made by other means, so only its structure could be checked. */
  readonly hasChecksum: boolean;
  /** Where the replaced database lies; absent if there was none. */
  readonly former?: string;
}
