import { create, equals } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ConflictPolicy,
  type Release,
  ReleaseFailureSchema,
  ReleaseSchema,
  ReleaseState,
} from "../../../gen/svc/type/v1/release_pb.ts";
import { Code, DomainError, type Reason } from "../base/errors.ts";
import { checkField } from "../base/field-errors.ts";
import { clipBytes } from "../base/text.ts";
import { checkTexts } from "../variables/message-texts.ts";

/** Maximum sizes of releases. */
export const RELEASE_LIMITS = {
  /** Releases of a project that are not applied. */
  open: 1_000,
  /** Drafts of a release. */
  items: 500,
  /** Bytes of the drafts of a release. */
  bytes: 16 * 1024 * 1024,
  /** Releases that a preview reads through. */
  preview: 5,
  /** Problems in the response of a check. */
  problems: 100,
  /** Bytes of the message of a problem. */
  problemBytes: 1024,
  /** Problems in the error of a release that cannot be scheduled. */
  listed: 10,
  /** Bytes of that error's message, and of its metadata. */
  listedBytes: 4 * 1024,
  /** How long a check works in its transaction, in milliseconds: other writes wait for it. */
  checkTime: 10_000,
} as const;

/** How far ahead a release can be scheduled, in milliseconds: five years. */
export const LONGEST_SCHEDULE = 5 * 365 * 24 * 3_600_000;

/** Returns a release in the form that is stored: with a policy. */
export function normalizeRelease(release: Release): Release {
  const { UNSPECIFIED, REJECT } = ConflictPolicy;
  if (release.conflictPolicy === UNSPECIFIED) release.conflictPolicy = REJECT;
  return release;
}

/** Checks a release before it is stored; errors name fields below `path`. */
export function checkRelease(release: Release, path: string): void {
  checkTexts(ReleaseSchema, release, path);
}

/** Reports whether releases can be scheduled and previewed at a time: from now to five years ahead. */
export function isInSchedule(time: Date, now: Date): boolean {
  const ahead = time.getTime() - now.getTime();
  return ahead >= 0 && ahead <= LONGEST_SCHEDULE;
}

/** Checks a time at which a release is to be applied. INVALID_ARGUMENT `APPLY_TIME_INVALID`. */
export function checkApplyTime(applyTime: Timestamp, now: Date, path: string): void {
  const isInRange = isInSchedule(timestampDate(applyTime), now);
  const description = "must be from now to five years ahead";
  checkField(isInRange, `${path}.apply_time`, "APPLY_TIME_INVALID", description);
}

/** Checks that the fields of a release can change. FAILED_PRECONDITION `RELEASE_STATE_FORBIDS`. */
export function checkNotApplied({ id, state }: Release): void {
  if (state !== ReleaseState.APPLIED) return;
  throw stateForbids(id, "RELEASE_STATE_FORBIDS", `release ${id} is applied and cannot change`);
}

/** Checks that drafts of a release can change. FAILED_PRECONDITION `RELEASE_SCHEDULED` or `RELEASE_STATE_FORBIDS`. */
export function checkWritable(release: Release): void {
  checkNotApplied(release);
  const { id, state } = release;
  if (state !== ReleaseState.SCHEDULED) return;
  const message = `release ${id} is scheduled and cannot change; clear its apply_time first`;
  throw stateForbids(id, "RELEASE_SCHEDULED", message);
}

/** Returns a release whose drafts have become current. */
export function toApplied(release: Release, changeId: string, now: Date): Release {
  const { failure: _, ...rest } = release;
  return { ...rest, state: ReleaseState.APPLIED, changeId, appliedTime: timestampFromDate(now) };
}

/** Returns a release that could not be applied at its time, because of an error. */
export function toFailed(release: Release, error: unknown, now: Date): Release {
  const { applyTime: _, ...rest } = release;
  const isForeseen = error instanceof DomainError;
  const failure = create(ReleaseFailureSchema, {
    reason: isForeseen ? error.reason : "INTERNAL",
    message: isForeseen ? error.message : "an unexpected error, which the log has",
    itemKey: (isForeseen && error.metadata.item) || "",
    time: timestampFromDate(now),
  });
  return { ...rest, state: ReleaseState.FAILED, failure, updateTime: timestampFromDate(now) };
}

/** Returns a release as a file has it: open, without its time and its history. */
export function toTransferred(release: Release): Release {
  const { id, projectId, name, description, conflictPolicy, createTime, updateTime } = release;
  return create(ReleaseSchema, {
    ...{ id, projectId, name, description, conflictPolicy, state: ReleaseState.OPEN },
    ...(createTime && { createTime }),
    ...(updateTime && { updateTime }),
  });
}

/**
 * Returns the release that an import stores. One that is scheduled or applied can only stay as it is:
 * FAILED_PRECONDITION `RELEASE_SCHEDULED` or `RELEASE_STATE_FORBIDS` for a release that differs.
 */
export function replaceRelease(imported: Release, stored: Release | undefined): Release {
  const open = toTransferred(imported);
  if (stored === undefined) return open;
  const isOpen = stored.state === ReleaseState.OPEN || stored.state === ReleaseState.FAILED;
  if (!isOpen && equals(ReleaseSchema, open, toTransferred(stored))) return stored;
  checkWritable(stored);
  const { revertsChangeId, creatorId, creatorOrganizationId } = stored;
  return { ...open, revertsChangeId, creatorId, creatorOrganizationId };
}

/** Creates the error of a release that cannot be scheduled: FAILED_PRECONDITION `RELEASE_NOT_READY`. */
export function notReady(
  id: string,
  problems: readonly { readonly key: string; readonly error: DomainError }[],
): DomainError {
  const { problemBytes, listed, listedBytes } = RELEASE_LIMITS;
  const first = problems.slice(0, listed);
  const messages = first.map(({ error }) => clipBytes(error.message, problemBytes)).join("; ");
  const names = first.map(({ key, error }) => `${key} ${error.reason}`.trim()).join(", ");
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "RELEASE_NOT_READY",
    clipBytes(`release ${id} cannot be scheduled: ${messages}`, listedBytes),
    { metadata: { release_id: id, problems: clipBytes(names, listedBytes) } },
  );
}

/** How long the caller of a check waits while another one of the organization runs, in seconds. */
const RETRY_AFTER = 1;

/** Creates the error of a check while another one runs: RESOURCE_EXHAUSTED `RELEASE_CHECK_LIMIT`. */
export function otherCheckRuns(): DomainError {
  const message = "another check of the organization is in progress; wait for it to end";
  return new DomainError(Code.RESOURCE_EXHAUSTED, "RELEASE_CHECK_LIMIT", message, {
    retryAfter: RETRY_AFTER,
  });
}

/** Creates the error of a check that works too long: RESOURCE_EXHAUSTED `RELEASE_CHECK_LIMIT`. */
export function checkTooLong(): DomainError {
  const seconds = RELEASE_LIMITS.checkTime / 1_000;
  const message = `the check takes longer than ${seconds} seconds; divide the release`;
  return new DomainError(Code.RESOURCE_EXHAUSTED, "RELEASE_CHECK_LIMIT", message);
}

/** Checks that a project with some other releases may have one more. RESOURCE_EXHAUSTED `RELEASE_LIMIT`. */
export function checkReleaseCount(others: number): void {
  if (others < RELEASE_LIMITS.open) return;
  const message = `the project has ${others} releases that are not applied, the most that are allowed; apply or delete one first`;
  throw new DomainError(Code.RESOURCE_EXHAUSTED, "RELEASE_LIMIT", message);
}

/** Checks the size of a release with a draft that is written. RESOURCE_EXHAUSTED `RELEASE_ITEM_LIMIT`. */
export function checkReleaseSize(
  id: string,
  { items, bytes }: { readonly items: number; readonly bytes: number },
): void {
  if (items <= RELEASE_LIMITS.items && bytes <= RELEASE_LIMITS.bytes) return;
  const sizes = `${RELEASE_LIMITS.items} drafts and ${RELEASE_LIMITS.bytes} bytes`;
  const message = `release ${id} would have ${items} drafts and ${bytes} bytes; it may have ${sizes}`;
  throw new DomainError(Code.RESOURCE_EXHAUSTED, "RELEASE_ITEM_LIMIT", message);
}

/**
 * Checks the size of current resources that drafts are merged with: they may have grown since the drafts were written, and
 * other writes wait until all are merged and written. RESOURCE_EXHAUSTED `RELEASE_ITEM_LIMIT`.
 */
export function checkCurrentSize(bytes: number): void {
  if (bytes <= RELEASE_LIMITS.bytes) return;
  const message = `the current versions of the changed resources have more than ${RELEASE_LIMITS.bytes} bytes together; divide the release`;
  throw new DomainError(Code.RESOURCE_EXHAUSTED, "RELEASE_ITEM_LIMIT", message);
}

/**
 * Checks the size of all drafts that a preview reads through: as many as {@link RELEASE_LIMITS.preview} releases may have.
 * RESOURCE_EXHAUSTED `RELEASE_ITEM_LIMIT`.
 */
export function checkPreviewSize({
  items,
  bytes,
}: {
  readonly items: number;
  readonly bytes: number;
}): void {
  const { preview, ...most } = RELEASE_LIMITS;
  const limits = { items: preview * most.items, bytes: preview * most.bytes };
  if (items <= limits.items && bytes <= limits.bytes) return;
  const message = `the releases of the preview have ${items} drafts and ${bytes} bytes; together they may have ${limits.items} drafts and ${limits.bytes} bytes`;
  throw new DomainError(Code.RESOURCE_EXHAUSTED, "RELEASE_ITEM_LIMIT", message);
}

function stateForbids(id: string, reason: Reason, message: string): DomainError {
  return new DomainError(Code.FAILED_PRECONDITION, reason, message, {
    metadata: { release_id: id },
  });
}
