import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Logger } from "pino";
import {
  ApplyReleaseRequestSchema,
  ReleaseService,
} from "../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import { WebhookEvent } from "../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { Code, DomainError } from "../domain/errors.ts";
import { toETag } from "../domain/etag.ts";
import { toFailed } from "../domain/releases/release.ts";
import type { Store } from "../storage/store.ts";
import type { Pipeline } from "./pipeline.ts";
import { announceRelease } from "./steps/announce-changes.ts";
import { deny, ORGANIZATION_HEADER } from "./steps/authorize.ts";

/** The delay above which a release was applied late, in milliseconds: a process looks for due ones each second. */
const LATE = 10_000;

/** The dependencies of a {@link ReleaseSchedule}. */
export interface ReleaseScheduleParts {
  readonly store: Store;
  readonly pipeline: Pick<Pipeline, "callFor">;
  readonly createId: () => string;
  readonly clock: () => Date;
  readonly log: Logger;
  /** Announces runs of webhooks that are to be sent. */
  readonly onRuns: () => void;
}

/** A release that is due. */
type DueRelease = Awaited<ReturnType<Store["releaseItems"]["listDue"]>>[number];

/**
 * Applies scheduled releases at their times, for the accounts that scheduled them. Any number of processes may do so: each
 * sends the ETag of the release that was due, and the first one changes it.
 */
export class ReleaseSchedule {
  /** The releases that this process could not apply. */
  failed = 0;
  readonly #parts: ReleaseScheduleParts;

  constructor(parts: ReleaseScheduleParts) {
    this.#parts = parts;
  }

  /** Applies the release that is due first, by time and id; returns whether there was one. */
  async step(): Promise<boolean> {
    const { store, clock } = this.#parts;
    const now = clock();
    const [due] = await store.releaseItems.listDue(now, { limit: 1 });
    if (due === undefined) return false;
    try {
      await this.#apply(due, now);
    } catch (error) {
      // Tried again when the database responds.
      if (error instanceof DomainError && error.code === Code.UNAVAILABLE) throw error;
      await this.#fail(due, error, now);
    }
    return true;
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
    const release = { type: "release", id, organizationId, projectId };
    const error = isHidden(cause) ? deny("cms.releases.apply", release) : cause;
    const hasRuns = await store.transaction({ projectIds: [projectId] }, async (unit) => {
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
