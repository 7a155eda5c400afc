/** The release that a call reads through, and how the call writes into it. */
export interface DraftTarget {
  readonly releaseId: string;
  readonly projectId: string;
  readonly accountId: string;
  readonly now: Date;
  /** True to delete a resource although others refer to it. */
  readonly isForced: boolean;
  /** The paths that the call writes, which settles their conflicts; absent: all. */
  readonly writtenPaths?: readonly string[];
}
