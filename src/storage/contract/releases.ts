import type { Release } from "../../../gen/svc/type/v1/release_pb.ts";
import type { ResourceRef } from "../../domain/access/permissions.ts";
import type { KindsWith } from "../../domain/kinds.ts";
import type { RecordItem, RecordKind } from "../../domain/records/record.ts";
import type { ResourceName } from "../../domain/references.ts";

/** The kinds that releases have drafts of. */
export type ReleasableKind = KindsWith<"history", "releasable">;

/** The place of a draft: its release and the resource. */
export interface ItemPlace {
  readonly organizationId: string;
  readonly releaseId: string;
  readonly kind: RecordKind;
  readonly id: string;
}

/** The draft of a resource in a release. */
export interface ReleaseDraft extends ItemPlace {
  readonly projectId: string;
  /** The resource as it was when the draft was written; undefined: it did not exist. */
  readonly base?: RecordItem | undefined;
  /** The revision of `base`, 0 if it did not exist; absent: not known, or `base` has values of several revisions. */
  readonly baseRevision?: number;
  /** Undefined: the draft deletes the resource. */
  readonly draft?: RecordItem | undefined;
  /** True if the resource is deleted although others refer to it. */
  readonly isForced: boolean;
  /** The account that last wrote the draft. */
  readonly accountId: string;
  readonly updateTime: Date;
}

/** A draft, compared with the current version. */
export interface ComparedDraft extends ReleaseDraft {
  /** True if `base` is still the current version; false if that is not known. */
  readonly isOnCurrent: boolean;
}

/** Which drafts of a release are listed. */
export interface DraftSelection {
  readonly kind?: RecordKind;
  /** Ids of resources. */
  readonly ids?: readonly string[];
  /** A page: the drafts of its current components, and of components that may be on it. */
  readonly page?: { readonly id: string; readonly currentIds: readonly string[] };
  /** The place that they follow in the order of the list. */
  readonly after?: ResourceName | undefined;
  readonly limit?: number;
}

/** The drafts of a release as a whole. */
export interface ReleaseVersion {
  readonly releaseId: string;
  readonly items: number;
  /** The bytes of the drafts with their bases. */
  readonly bytes: number;
}

/** The revisions of a draft and of what it is based on. */
export interface DraftRevision {
  readonly releaseId: string;
  readonly kind: ReleasableKind;
  readonly id: string;
  /** When it was last written, in microseconds since 1970: another draft of the release has another time. */
  readonly updateTime: number;
  /** As in {@link ReleaseDraft}. */
  readonly baseRevision: number | null;
  /** The revision of the current version, 0 if that does not exist. */
  readonly currentRevision: number;
  /** The current page of a component. */
  readonly currentPageId?: string;
  /** The page of the draft of a component; absent: it is not known, or the draft deletes the component. */
  readonly draftPageId?: string;
}

/** Selects drafts in some releases. */
export interface DraftedSelection {
  readonly organizationId: string;
  readonly releaseIds: readonly string[];
  /** Absent: all kinds. */
  readonly kind?: ReleasableKind;
  /** Ids of resources; absent: all. */
  readonly ids?: readonly string[] | undefined;
}

/** A release that is not applied. */
export interface PendingRelease {
  readonly id: string;
  /** Absent: it is not scheduled. */
  readonly applyTime?: Date;
}

/** A release whose time has come, with its revision. */
export interface DueRelease {
  readonly organizationId: string;
  readonly release: Release;
  readonly revision: number;
}

/** The due releases that are passed over: by organization, by project, and by themselves. */
export interface PassedOver {
  readonly organizations: readonly string[];
  readonly projects: readonly string[];
  readonly releases: readonly { readonly organizationId: string; readonly id: string }[];
}

/** The drafts of releases. Writing them moves no revision. */
export interface ReleaseItemStore {
  /**
   * Lists the drafts of a release, ordered by kind and id: all of them, or a selection. The states of a draft are decoded
   * each time that they are read.
   */
  list(
    place: Pick<ItemPlace, "organizationId" | "releaseId">,
    selection?: DraftSelection,
  ): Promise<ReleaseDraft[]>;
  /** Reads all drafts of a release, ordered by kind and id, in steps: 1 MiB as stored at a time, or one larger draft. */
  readAll(
    place: Pick<ItemPlace, "organizationId" | "releaseId">,
  ): AsyncGenerator<readonly ComparedDraft[]>;
  /** Lists the revisions of drafts, in any order, without reading the drafts. */
  listRevisions(selection: DraftedSelection): Promise<readonly DraftRevision[]>;
  /** Locates the resources of a type that drafts of a release create or change. */
  locate(release: ResourceRef, type: string, ids: readonly string[]): Promise<ResourceRef[]>;
  /** Returns the sizes of the releases that have drafts. */
  listVersions(
    organizationId: string,
    releaseIds: readonly string[],
  ): Promise<readonly ReleaseVersion[]>;
  /** Writes the draft of a resource. RESOURCE_EXHAUSTED `RELEASE_ITEM_LIMIT` or `QUOTA_EXCEEDED`. */
  put(item: ReleaseDraft): Promise<void>;
  /** Removes the draft of a resource, if there is one. */
  remove(item: ItemPlace & { readonly projectId: string }): Promise<void>;
  /** Removes all drafts of a release. */
  clear(release: {
    readonly organizationId: string;
    readonly id: string;
    readonly projectId: string;
  }): Promise<void>;
  /**
   * Lists the releases with a draft of a resource that are not applied, by time and id, at most `limit`, and counts all of
   * them. `among` names the releases to look for; absent: all.
   */
  listPending(
    place: Omit<ItemPlace, "releaseId">,
    options: { readonly limit: number; readonly among?: readonly string[] | undefined },
  ): Promise<{ readonly releases: readonly PendingRelease[]; readonly total: number }>;
  /** Counts the open and the scheduled releases, and returns the earliest time of the scheduled ones. */
  countPending(): Promise<{
    readonly open: number;
    readonly scheduled: number;
    readonly nextTime?: Date;
  }>;
  /** Finds the first scheduled release that is due at a time, by time and id. */
  findDue(time: Date, without: PassedOver): Promise<DueRelease | undefined>;
  /** Lists the ids of a project's scheduled releases that are due at a time, by time and id. */
  listDueIds(time: Date, projectId: string): Promise<readonly string[]>;
}

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
