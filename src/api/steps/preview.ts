import { ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { Code, DomainError, notFound, type Reason } from "../../domain/base/errors.ts";
import { clip } from "../../domain/base/text.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { checkCountryCode } from "../../domain/content/country-codes.ts";
import { parseInstant } from "../../domain/kql/instant.ts";
import { checkPreviewSize, isInSchedule, RELEASE_LIMITS } from "../../domain/releases/release.ts";
import type { ProjectKey, ProjectKeyKind } from "../../storage/contract/access.ts";
import type { DeliveryReads, Store } from "../../storage/contract/store.ts";
import { DraftMemory, openReleaseOverlay } from "../../storage/releases/release-overlay.ts";
import { ProjectReads } from "../reads/project-reads.ts";
import type { View } from "./delivery-call.ts";
import { type IncomingCall, type RequestHeaders, readHeader } from "./incoming-call.ts";
import { PREVIEW_HEADER } from "./request-fields.ts";

/** The store that previews read: drafts are read from the primary, because writing them moves no revision. */
type PreviewStore = Pick<Store, "delivery" | "in" | "knownRevision" | "releaseItems"> &
  DeliveryReads;

/** Opens previews. Merged drafts are kept for other reads: after a change, only the changed resources are merged again. */
export class Previews {
  readonly #store: PreviewStore;
  readonly #memory = new DraftMemory();

  constructor(store: PreviewStore) {
    this.#store = store;
  }

  /**
   * Opens the preview that the headers of a call choose, with the call's budget; empty without such headers. A method of
   * the Studio API names the releases in its request instead. NOT_FOUND for a release that the project does not have,
   * INVALID_ARGUMENT `IDS_INVALID`, `TOO_MANY_ITEMS`, `PREVIEW_TIME_INVALID`,
   * `PREVIEW_AUDIENCE_INVALID` or `COUNTRY_CODE_INVALID`, RESOURCE_EXHAUSTED `RELEASE_ITEM_LIMIT`.
   */
  async open(
    { headers, request }: Pick<IncomingCall, "headers" | "request">,
    key: ProjectKey,
    budget: WorkBudget,
    named: readonly string[] = readReleaseIds(headers),
  ): Promise<View> {
    const audience = readAudience(headers);
    const now = readTime(headers, request.now);
    const country = readCountry(headers);
    const releaseIds = await this.#findReleases(key, named, now);
    return { audience, now, country, reads: await this.#overlay(key, releaseIds, budget) };
  }

  /** Lists the releases to read through, the last on top: those due by a time, then the named ones. */
  async #findReleases(
    { organizationId, projectId }: ProjectKey,
    ids: readonly string[],
    time: Date | undefined,
  ): Promise<readonly string[]> {
    const { releaseItems } = this.#store;
    const due = time === undefined ? [] : await releaseItems.listDueIds(time, projectId);
    const stored =
      ids.length === 0 ? [] : await this.#store.in(organizationId).documents.release.getMany(ids);
    const named = new Map(
      stored
        .filter(({ value }) => value.projectId === projectId)
        .map(({ value }) => [value.id, value]),
    );
    const missing = ids.filter((id) => !named.has(id));
    if (missing.length > 0) throw notFound("release", ...missing);
    return [
      ...due.filter((id) => !named.has(id)),
      // What is applied is current.
      ...ids.filter((id) => named.get(id)?.state !== ReleaseState.APPLIED),
    ];
  }

  /** Returns the reads through the releases; undefined if these have no drafts. */
  async #overlay(
    { organizationId, projectId }: ProjectKey,
    releaseIds: readonly string[],
    budget: WorkBudget,
  ): Promise<ProjectReads | undefined> {
    const store = this.#store;
    const { releaseItems: items } = store;
    if (releaseIds.length === 0) return undefined;
    const versions = await items.listVersions(organizationId, releaseIds);
    checkPreviewSize({
      items: versions.reduce((sum, { items }) => sum + items, 0),
      bytes: versions.reduce((sum, { bytes }) => sum + bytes, 0),
    });
    if (versions.length === 0) return undefined;
    const withDrafts = new Set(versions.map(({ releaseId }) => releaseId));
    const overlay = openReleaseOverlay({
      current: store.delivery ?? store,
      organization: store.in(organizationId),
      projectId,
      releaseIds: releaseIds.filter((id) => withDrafts.has(id)),
      items,
      memory: this.#memory,
      budget,
    });
    return new ProjectReads(overlay, store);
  }
}

function readAudience(headers: RequestHeaders): ProjectKeyKind | undefined {
  const audience = readHeader(headers, "x-preview-audience");
  if (audience === undefined || audience === "public") return audience;
  const rule = `must be public, not '${clip(audience)}'`;
  throw invalid("PREVIEW_AUDIENCE_INVALID", `x-preview-audience ${rule}`);
}

function readTime(headers: RequestHeaders, now: Date): Date | undefined {
  const text = readHeader(headers, "x-preview-time");
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time !== undefined && isInSchedule(time, now)) return time;
  const rule = "must be a time such as 2026-12-05T20:00:00Z, from now to five years ahead";
  throw invalid("PREVIEW_TIME_INVALID", `x-preview-time ${rule}, not '${clip(text)}'`);
}

function readCountry(headers: RequestHeaders): string | undefined {
  const country = readHeader(headers, "x-preview-country");
  if (country !== undefined) checkCountryCode(country, "x-preview-country");
  return country;
}

/** Parses a time, rounded down to a millisecond. */
function parseTime(text: string): Date | undefined {
  const instant = parseInstant(text);
  return instant && new Date(`${instant.slice(0, "2026-12-05T20:00:00.000".length)}Z`);
}

/** Reads the ids of releases, each once. */
function readReleaseIds(headers: RequestHeaders): readonly string[] {
  const text = readHeader(headers, PREVIEW_HEADER);
  if (text === undefined) return [];
  const ids = [...new Set(text.split(",").map((id) => id.trim()))];
  if (ids.includes(""))
    throw invalid("IDS_INVALID", `${PREVIEW_HEADER} must not contain a blank id`);
  const most = RELEASE_LIMITS.preview;
  if (ids.length <= most) return ids;
  throw invalid("TOO_MANY_ITEMS", `${PREVIEW_HEADER} must name at most ${most} releases`);
}

function invalid(reason: Reason, message: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, reason, message);
}
