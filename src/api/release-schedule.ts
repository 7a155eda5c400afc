import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Logger } from "pino";
import {
  ApplyReleaseRequestSchema,
  ReleaseService,
} from "../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import { WebhookEvent } from "../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { Code, DomainError } from "../domain/base/errors.ts";
import { toETag } from "../domain/base/etag.ts";
import { toFailed } from "../domain/releases/release.ts";
import type { DueRelease } from "../storage/contract/releases.ts";
import type { Store } from "../storage/contract/store.ts";
import type { Pipeline } from "./pipeline.ts";
import { announceRelease } from "./steps/announce-changes.ts";
import { deny, ORGANIZATION_HEADER } from "./steps/authorize.ts";

/** The delay above which a release was applied late, in milliseconds: a process looks for due ones each second. */
const LATE = 10_000;

/** How often a process looks for due releases, in milliseconds. */
const POLL_INTERVAL = 1_000;

/**
 * Maximum numbers of releases that a process applies concurrently: in total, and of one organization, which leaves slots
 * to others and to its own small releases.
 */
export const RELEASE_SLOTS = { total: 4, organization: 2 };

/** The longest wait for another try, in milliseconds; the first is a second, and each doubles. */
const LONGEST_WAIT = 60_000;

/** A release holds back the later ones of its project until this try, because they may build on it. */
const HOLDING_TRIES = 3;

/** How long a try that is due is remembered if the release is no longer due, in milliseconds. */
const REMEMBERED = 600_000;

interface ReleaseScheduleParts {
  readonly store: Store;
  readonly pipeline: Pick<Pipeline, "callFor">;
  readonly createId: () => string;
  readonly clock: () => Date;
  /** Milliseconds that have passed since some moment; default: the monotonic clock of the process. */
  readonly passed?: () => number;
  readonly log: Logger;
  /** Announces runs of webhooks that are to be sent. */
  readonly onRuns: () => void;
}

/** A release that could not be tried, and waits. */
interface WaitingRelease {
  readonly place: Pick<DueRelease, "organizationId"> & { readonly id: string };
  readonly projectId: string;
  readonly tries: number;
  /** The time of the next try, on the monotonic clock. */
  readonly until: number;
}

/**
 * Applies scheduled releases at their times, for the accounts that scheduled them. Any number of processes may do so: each
 * sends the ETag of the release that was due, and the first one changes it.
 *
 * - Organizations take turns, the longest waiting first. Releases of different organizations do not wait for each
 *   other, because {@link RELEASE_SLOTS} are applied concurrently.
 * - The releases of a project are applied one after the other, by time and id.
 * - A release that cannot be tried, such as while the database or its project is locked, waits 1, 2, 4 and so on to 60
 *   seconds. Others are applied while it waits; the later ones of its project from its third try on.
 */
export class ReleaseSchedule {
  /** The releases that this process could not apply. */
  failed = 0;
  readonly #parts: Required<ReleaseScheduleParts>;
  readonly #applying = new Map<DueRelease, Promise<void>>();
  /** The organizations that have had their turn since each had one. */
  readonly #served = new Set<string>();
  readonly #waiting = new Map<string, WaitingRelease>();

  constructor(parts: ReleaseScheduleParts) {
    this.#parts = { passed: () => performance.now(), ...parts };
  }

  /**
   * Begins to apply a release that is due, and calls `onEnd` when that has ended; returns the pause before the next step,
   * in milliseconds.
   */
  async step(onEnd: () => void): Promise<number> {
    const due = await this.#findNext();
    if (due === undefined) return POLL_INTERVAL;
    this.#served.add(due.organizationId);
    const applying = this.#try(due).finally(() => {
      this.#applying.delete(due);
      onEnd();
    });
    this.#applying.set(due, applying);
    return 0;
  }

  /** Waits for the releases that are being applied. */
  async close(): Promise<void> {
    await Promise.all(this.#applying.values());
  }

  async #findNext(): Promise<DueRelease | undefined> {
    if (this.#applying.size >= RELEASE_SLOTS.total) return undefined;
    const { releaseItems } = this.#parts.store;
    const now = this.#parts.clock();
    const waiting = this.#listWaiting();
    const applying = [...this.#applying.keys()];
    const ofOrganization = Map.groupBy(applying, ({ organizationId }) => organizationId);
    const full = [...ofOrganization]
      .filter(([, { length }]) => length >= RELEASE_SLOTS.organization)
      .map(([id]) => id);
    const held = waiting.filter(({ tries }) => tries < HOLDING_TRIES);
    const find = (organizations: readonly string[]) =>
      releaseItems.findDue(now, {
        organizations,
        projects: [...applying.map(({ release }) => release), ...held].map((it) => it.projectId),
        releases: waiting.map(({ place }) => place),
      });
    const due = await find([...full, ...this.#served]);
    if (due !== undefined || this.#served.size === 0) return due;
    this.#served.clear();
    return find(full);
  }

  /** Lists the releases that wait for their next try. */
  #listWaiting(): WaitingRelease[] {
    const now = this.#parts.passed();
    for (const [key, { until }] of this.#waiting) {
      if (until + REMEMBERED < now) this.#waiting.delete(key);
    }
    return [...this.#waiting.values()].filter(({ until }) => until > now);
  }

  async #try(due: DueRelease): Promise<void> {
    const { organizationId, release } = due;
    const { id, projectId } = release;
    const key = JSON.stringify([organizationId, id]);
    const now = this.#parts.clock();
    try {
      await this.#apply(due, now).catch((error: unknown) => {
        if (isUntried(error)) throw error;
        return this.#fail(due, error, now);
      });
      this.#waiting.delete(key);
    } catch (error) {
      const tries = (this.#waiting.get(key)?.tries ?? 0) + 1;
      const wait = Math.min(2 ** (tries - 1) * 1_000, LONGEST_WAIT);
      const until = this.#parts.passed() + wait;
      this.#waiting.set(key, { place: { organizationId, id }, projectId, tries, until });
      const fields = { release: id, project: projectId, err: error };
      if (tries === 1) this.#parts.log.warn(fields, "scheduled release waits for another try");
    }
  }

  async #apply({ organizationId, release, revision }: DueRelease, now: Date): Promise<void> {
    const { pipeline, log } = this.#parts;
    const { id, projectId: project, accountId, accountOrganizationId, applyTime } = release;
    const account = { id: accountId, organizationId: accountOrganizationId };
    const headers = { [ORGANIZATION_HEADER]: organizationId, "if-match": toETag(revision) };
    const call = { method: ReleaseService.method.applyRelease, headers, now };
    await pipeline.callFor(account, call, create(ApplyReleaseRequestSchema, { releaseId: id }));
    const delay = applyTime ? now.getTime() - timestampDate(applyTime).getTime() : 0;
    const fields = { release: id, project, delay_seconds: Math.round(delay / 1_000) };
    if (delay > LATE) log.warn(fields, "scheduled release was applied late");
    else log.info(fields, "scheduled release was applied");
  }

  /** Writes why a release could not be applied, unless it has changed since it was due. */
  async #fail(
    { organizationId, release: { id, projectId }, revision }: DueRelease,
    cause: unknown,
    now: Date,
  ): Promise<void> {
    const { store, createId, log, onRuns } = this.#parts;
    const release = { kind: "release", id, organizationId, projectId };
    const error = isHidden(cause) ? deny("cms.releases.apply", release) : cause;
    const scope = { projectIds: [projectId], owner: organizationId };
    const hasRuns = await store.transaction(scope, async (unit) => {
      const { release: releases } = unit.in(organizationId).documents;
      const [current] = await releases.getMany([id]);
      if (current?.revision !== revision) return undefined;
      const failed = await releases.update(id, ({ value }) => toFailed(value, error, now));
      return announceRelease(unit, failed, WebhookEvent.FAILED, { createId, now });
    });
    if (hasRuns === undefined) return;
    this.failed += 1;
    if (hasRuns) onRuns();
    // Messages may contain values of drafts.
    const reason = error instanceof DomainError ? { reason: error.reason } : { err: error };
    const fields = { release: id, project: projectId, ...reason };
    log.error(fields, "scheduled release could not be applied");
  }
}

/** Reports whether the account that scheduled a release has no role for it. */
function isHidden(error: unknown): boolean {
  const isUnknown = error instanceof DomainError && error.reason === "RESOURCE_NOT_FOUND";
  return isUnknown && error.metadata.item === undefined;
}

/** Reports whether a release may be applied later, because an error is not about it. */
function isUntried(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false;
  return error.code === Code.UNAVAILABLE || error.retryAfter !== undefined;
}
