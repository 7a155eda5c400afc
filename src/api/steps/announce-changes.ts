import { LRUCache } from "lru-cache";
import { ActionRunState } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import type { Webhook, WebhookEvent } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import type { Release } from "../../../gen/svc/type/v1/release_pb.ts";
import { endRun, type NewActionRun } from "../../domain/actions/action-run.ts";
import { MOST_RUN_BYTES } from "../../domain/actions/run-room.ts";
import { parseStoredKql } from "../../domain/kql/index.ts";
import {
  announces,
  type ContentChange,
  createDelivery,
  createImportDelivery,
  createReleaseDelivery,
  type DeliveryParts,
  isContentChange,
  matchesFilter,
  type ReadyWebhook,
  stateOf,
  toStatesJson,
  wantsRelease,
} from "../../domain/webhooks/delivery.ts";
import type { Stored } from "../../storage/contract/document-store.ts";
import type { OrganizationStore, Store } from "../../storage/contract/store.ts";
import { estimateHeap } from "../reads/revision-memo.ts";
import type { StudioCall } from "./studio-call.ts";

/** The bytes of the heap that cached webhooks take, as estimated. */
const MOST_BYTES = 16 * 2 ** 20;

/** The milliseconds that filters take in a call. Webhooks are then sent its other changes without a test. */
const MOST_FILTER_MS = 100;

/** The most changes of a call that are announced one by one; more are announced as an import. */
const MOST_CHANGES = 50;

interface KnownWebhooks {
  readonly webhooks: readonly ReadyWebhook[];
  readonly version: number;
}

/** Announces the changes of content that calls make to the webhooks of their projects. */
export class ChangeAnnouncer {
  readonly #store: Pick<Store, "accessVersion">;
  readonly #createId: () => string;
  /** The webhooks of projects, with the version of access before they were read. */
  readonly #webhooks = new LRUCache<string, KnownWebhooks>({
    maxSize: MOST_BYTES,
    sizeCalculation: (known) => estimateHeap(known, MOST_BYTES),
  });

  constructor(store: Pick<Store, "accessVersion">, createId: () => string) {
    this.#store = store;
    this.#createId = createId;
  }

  /**
   * Adds one run for each change of a call and each webhook that announces it, in the transaction of the call. More
   * than 50 changes are one `project.imported` for each webhook. Returns whether there are any.
   */
  async announce(call: AnnouncedCall): Promise<boolean> {
    const { store, organization, now, budget } = call;
    const start = budget.spent;
    const changes = call.changes.filter(isContentChange);
    if (changes.length > MOST_CHANGES) return this.#announceImport(call, changes);
    let hasRuns = false;
    for (const change of changes) {
      const webhooks = await this.#listWebhooks(store, stateOf(change).projectId);
      if (webhooks.length === 0) continue;
      let states: ReturnType<typeof toStatesJson> | undefined;
      const listStates = () => {
        states ??= toStatesJson(change);
        return states;
      };
      const wanting: ReadyWebhook[] = [];
      for (const webhook of webhooks) {
        if (!announces(webhook, change)) continue;
        const isTested = budget.spent - start < MOST_FILTER_MS;
        const isWanted = !isTested || (await budget.run(matchesFilter(webhook, listStates, now)));
        if (isWanted) wanting.push(webhook);
      }
      if (wanting.length === 0) continue;
      const placed = await placeOnPage(organization, change);
      const [page] = placed.pageId
        ? await organization.documents.page.getMany([placed.pageId])
        : [];
      const runs = wanting.map((webhook) =>
        createDelivery(
          webhook,
          placed,
          { id: this.#createId(), now, trace: call.trace },
          page?.value,
        ),
      );
      hasRuns = (await addDeliveries(store, runs, now)) || hasRuns;
    }
    return hasRuns;
  }

  async #announceImport(
    { store, now, trace }: AnnouncedCall,
    changes: readonly ContentChange[],
  ): Promise<boolean> {
    const revisions = new Map(changes.map((it) => [stateOf(it).projectId, it.revision]));
    let hasRuns = false;
    for (const [projectId, revision] of revisions) {
      const webhooks = await this.#listWebhooks(store, projectId);
      const runs = webhooks
        .filter(({ webhook }) => !webhook.disabled)
        .map(({ webhook }) =>
          createImportDelivery(webhook, revision, { id: this.#createId(), now, trace }),
        );
      hasRuns = (await addDeliveries(store, runs, now)) || hasRuns;
    }
    return hasRuns;
  }

  async #listWebhooks(store: Store, projectId: string): Promise<readonly ReadyWebhook[]> {
    const known = this.#webhooks.get(projectId);
    if (known !== undefined && this.#store.accessVersion(projectId) <= known.version) {
      return known.webhooks;
    }
    const version = this.#store.accessVersion();
    const webhooks = (await store.webhooks.list(projectId)).map(openWebhook);
    this.#webhooks.set(projectId, { webhooks, version });
    return webhooks;
  }
}

/**
 * Adds one run for each webhook that announces an event of a release, in the transaction that causes it. Returns whether
 * there are any.
 */
export async function announceRelease(
  store: Store,
  { value: release, revision }: Stored<Release>,
  event: WebhookEvent,
  { createId, now, trace }: Omit<DeliveryParts, "id"> & { readonly createId: () => string },
): Promise<boolean> {
  const webhooks = (await store.webhooks.list(release.projectId)).map(openWebhook);
  const runs = webhooks
    .filter((webhook) => wantsRelease(webhook, release, event, now))
    .map((webhook) =>
      createReleaseDelivery(webhook, release, revision, event, { id: createId(), now, trace }),
    );
  return addDeliveries(store, runs, now);
}

/**
 * Adds the runs of the webhooks of a project, which fail at once while too many bytes of its runs wait. Returns whether there
 * are any.
 */
async function addDeliveries(
  { actionRuns }: Store,
  runs: readonly NewActionRun[],
  now: Date,
): Promise<boolean> {
  const [first] = runs;
  if (first === undefined) return false;
  const bytes = await actionRuns.countBytes(first.run.projectId);
  const fail = ({ run, ...rest }: NewActionRun) => ({
    ...rest,
    run: endRun(run, ActionRunState.FAILED, "REQUEST_NOT_ACCEPTED", now),
  });
  await actionRuns.create(bytes > MOST_RUN_BYTES ? runs.map(fail) : runs);
  return true;
}

function openWebhook(webhook: Webhook): ReadyWebhook {
  const { filter } = webhook;
  return { webhook, ...(filter !== "" && { filter: parseStoredKql(filter) }) };
}

/** A call with the changes to announce. */
type AnnouncedCall = Pick<
  StudioCall,
  "budget" | "changes" | "now" | "organization" | "store" | "trace"
>;

/** Adds the page of a component; a deletion names it. */
async function placeOnPage(
  organization: OrganizationStore,
  change: ContentChange,
): Promise<ContentChange> {
  if (change.kind !== "page_component" || change.pageId !== undefined) return change;
  const { pageId } = await organization.pageComponents.locate(stateOf(change).id);
  return { ...change, pageId };
}
