import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type Release, ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import type { DraftRevision } from "../../storage/contract/releases.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { mergeDrafts } from "./apply-drafts.ts";
import { readOrder } from "./record-writer.ts";

/** The maximum number of outcomes in memory: 40 releases have as many drafts. */
const MOST_OUTCOMES = 20_000;

/** The outcome of the merge of a draft with the current version. */
interface Outcome {
  readonly isItem: boolean;
  readonly hasConflicts: boolean;
}

/** A draft of what has not changed since. */
const UNCHANGED: Outcome = { isItem: true, hasConflicts: false };

/**
 * Counts the drafts of releases. A draft is read and merged only if the current version has changed since the draft was written,
 * once for each pair of their versions.
 */
export class ReleaseCounts {
  readonly #outcomes = new LRUCache<string, Outcome>({ max: MOST_OUTCOMES });

  /** Returns a release with the number of its items, and of those with conflicts. */
  async count(call: StudioCall, release: Release): Promise<Release> {
    let [itemCount, conflictCount] = [0, 0];
    // What is applied has no drafts.
    if (release.state !== ReleaseState.APPLIED) {
      const { organizationId, store, budget } = call;
      await budget.nextStep();
      const drafts = await budget.spend(() =>
        store.releaseItems.listRevisions({ organizationId, releaseIds: [release.id] }),
      );
      for (const draft of drafts) {
        const { isItem, hasConflicts } = await this.#findOutcome(call, release.projectId, draft);
        if (isItem) itemCount += 1;
        if (hasConflicts) conflictCount += 1;
      }
    }
    return { ...release, itemCount, conflictCount };
  }

  async #findOutcome(call: StudioCall, projectId: string, draft: DraftRevision): Promise<Outcome> {
    const { kind, id, releaseId, updateTime, baseRevision, currentRevision } = draft;
    if (baseRevision === currentRevision) return UNCHANGED;
    const { organizationId, organization, store, budget } = call;
    await budget.nextStep();
    // The order of a page's components has no revision.
    const order = kind === "page" ? await budget.spend(() => readOrder(organization, id)) : [];
    const version = [organizationId, releaseId, kind, id, updateTime, currentRevision, ...order];
    const key = hash("sha256", JSON.stringify(version), "base64");
    const known = this.#outcomes.get(key);
    if (known !== undefined) return known;
    // The next call gets further.
    if (budget.isOutOfTime) return UNCHANGED;
    const outcome = await budget.spend(async () => {
      const among = { kind, ids: [id] };
      const drafts = await store.releaseItems.list({ organizationId, releaseId }, among);
      const [merged] = await mergeDrafts(call, projectId, drafts);
      return {
        isItem: merged !== undefined && merged.merged !== merged.current,
        hasConflicts: merged !== undefined && merged.conflicts.length > 0,
      };
    });
    this.#outcomes.set(key, outcome);
    return outcome;
  }
}
