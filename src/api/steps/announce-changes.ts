import type { TraceContext } from "../../domain/actions/run-payload.ts";
import { parseStoredKql } from "../../domain/kql/index.ts";
import { type ContentChange, stateOf, toStatesJson } from "../../domain/webhooks/content-change.ts";
import { createDelivery, type ReadyWebhook, wantsChange } from "../../domain/webhooks/delivery.ts";
import type { Store } from "../../storage/store.ts";
import type { CallStore } from "./call.ts";

/** The most projects whose webhooks are cached. */
const MOST_PROJECTS = 10_000;

/**
 * Adds one run for each change and each webhook that announces it, in the transaction of the changes. Returns
 * whether there are any.
 */
export type AnnounceChanges = (
  unit: CallStore,
  changes: readonly ContentChange[],
  call: { readonly now: Date; readTrace(): TraceContext | undefined },
) => Promise<boolean>;

/** Creates the announcement of changes; it caches the webhooks of projects until one is written. */
export function createAnnounceChanges(
  { accessVersion }: Pick<Store, "accessVersion">,
  createId: () => string,
): AnnounceChanges {
  const cached = new Map<string, readonly ReadyWebhook[]>();
  let cachedVersion: number | undefined;

  async function listWebhooks(unit: CallStore, projectId: string) {
    const version = accessVersion();
    if (version !== cachedVersion || cached.size >= MOST_PROJECTS) cached.clear();
    cachedVersion = version;
    const known = cached.get(projectId);
    if (known !== undefined) return known;
    const webhooks = (await unit.webhooks.list(projectId)).map((webhook) => ({
      webhook,
      ...(webhook.filter !== "" && { filter: parseStoredKql(webhook.filter) }),
    }));
    if (version === cachedVersion) cached.set(projectId, webhooks);
    return webhooks;
  }

  return async (unit, changes, { now, readTrace }) => {
    let hasRuns = false;
    for (const change of changes) {
      const webhooks = await listWebhooks(unit, stateOf(change).projectId);
      if (webhooks.length === 0) continue;
      let states: ReturnType<typeof toStatesJson> | undefined;
      const listStates = () => {
        states ??= toStatesJson(change);
        return states;
      };
      const wanting = webhooks.filter((it) => wantsChange(it, change, listStates, now));
      if (wanting.length === 0) continue;
      const placed = await placeOnPage(unit, change);
      const [page] = placed.pageId ? await unit.documents.page.getMany([placed.pageId]) : [];
      const trace = readTrace();
      await unit.actionRuns.create(
        wanting.map((it) =>
          createDelivery(it, placed, { id: createId(), now, trace }, page?.value),
        ),
      );
      hasRuns = true;
    }
    return hasRuns;
  };
}

/** Adds the page of a component; a deletion names it. */
async function placeOnPage(unit: CallStore, change: ContentChange): Promise<ContentChange> {
  if (change.kind !== "page_component" || change.pageId !== undefined) return change;
  const { pageId } = await unit.pageComponents.locate(stateOf(change).id);
  return { ...change, pageId };
}
