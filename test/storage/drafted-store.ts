import { create, type Message } from "@bufbuild/protobuf";
import { type Dataset, toRecords } from "../../demo/data/dataset-records.ts";
import { ReleaseSchema, ReleaseState } from "../../gen/svc/type/v1/release_pb.ts";
import { isContentKind, isReleasable } from "../../src/domain/kinds.ts";
import { findOwner, type RecordItem, recordIdOf } from "../../src/domain/records/record.ts";
import type { DeliveryReads, Store } from "../../src/storage/contract/store.ts";
import { DraftMemory, openReleaseOverlay } from "../../src/storage/releases/release-overlay.ts";
import { createListBudget } from "../../src/storage/sql/base/list-budget.ts";
import { type FreshStore, type OpenFresh, openFresh } from "../harness/fresh-store.ts";
import { override } from "../harness/override.ts";
import { ALPHA, GAMMA } from "./small-dataset.ts";

/** The project of each organization whose releasable resources are drafts; others are current. */
const PROJECTS: Readonly<Record<string, string>> = { acme: ALPHA, other: GAMMA };
const ORGANIZATIONS = new Map(Object.entries(PROJECTS).map(([id, project]) => [project, id]));
/** The drafts of content: each list reads all of them, so that those of large datasets are few, and others current. */
const MOST_CONTENT = 40;
/** The release that contains them. */
const RELEASE = "all";
const NOW = new Date(0);

/** The stores of the Delivery API that previews replace. */
const READS = [
  ...["creativeWorks", "entities", "events", "pages", "rulesets", "visibleDocuments"],
] as const;

/** Opens a database in which all releasable resources of two projects are drafts, with a store that reads them. */
export const openDrafted: OpenFresh = async (content) => {
  if (typeof content !== "object") return toDrafted(await openFresh(content));
  const { current, drafts } = divide(content);
  const fresh = await openFresh(current);
  await draft(fresh.store, content, drafts);
  return toDrafted(fresh);
};

function toDrafted(fresh: FreshStore): FreshStore {
  return {
    ...fresh,
    store: draftedStore(fresh.store),
    openAnother: async () => draftedStore(await fresh.openAnother()),
  };
}

/** Returns a store that reads and writes through the releases. */
function draftedStore(store: Store): Store {
  const memory = new DraftMemory();
  const organizationOf = (id: string) => {
    const projectId = PROJECTS[id];
    if (projectId === undefined) return store.in(id);
    const by = { accountId: "ann", now: NOW, isForced: false };
    return store.in(id, { releaseId: RELEASE, projectId, ...by });
  };
  const readsOf = (projectId: string): DeliveryReads => {
    const organizationId = ORGANIZATIONS.get(projectId);
    if (organizationId === undefined) return store;
    return openReleaseOverlay({
      ...{ current: store, organization: store.in(organizationId), projectId, memory },
      ...{ releaseIds: [RELEASE], items: store.releaseItems, budget: createListBudget() },
    });
  };
  const reads = READS.map((name) => [name, overEach(readsOf, name)]);
  return override(store, {
    ...Object.fromEntries(reads),
    in: organizationOf,
    transaction: (scope, run) => store.transaction(scope, (unit) => run(draftedStore(unit))),
  });
}

/** Returns a store whose methods read through the overlay of the project that they are called for. */
function overEach(readsOf: (projectId: string) => DeliveryReads, name: (typeof READS)[number]) {
  return new Proxy(
    {},
    {
      get:
        (_, method) =>
        (...args: (string | { readonly projectId: string })[]) => {
          const key = args.at(-1) ?? "";
          const reads = readsOf(typeof key === "string" ? key : key.projectId);
          const store = reads[name] as unknown as Record<
            string | symbol,
            (...args: unknown[]) => unknown
          >;
          return store[method]?.(...args);
        },
    },
  );
}

const divided = new WeakMap<Dataset, Divided>();

/** A dataset without the resources that are drafts, and these. */
interface Divided {
  readonly current: Dataset;
  readonly drafts: readonly RecordItem[];
}

/** Divides a dataset, the same one only once. */
function divide(dataset: Dataset): Divided {
  const known = divided.get(dataset);
  if (known !== undefined) return known;
  const records = [...toRecords(dataset)].filter(mayDraft);
  const drafts = [
    ...records.filter(({ kind }) => isContentKind(kind)).slice(-MOST_CONTENT),
    ...records.filter(({ kind }) => !isContentKind(kind)),
  ];
  const drafted = new Set(drafts.map(({ message }) => message));
  const isCurrent = (message: Message) => !drafted.has(message);
  const current: Dataset = {
    ...dataset,
    entities: dataset.entities.filter(isCurrent),
    creativeWorks: dataset.creativeWorks.filter(isCurrent),
    events: dataset.events.filter(isCurrent),
    bannerCollections: dataset.bannerCollections.filter(isCurrent),
    pages: dataset.pages.filter(({ page }) => isCurrent(page)),
    rulesets: dataset.rulesets.filter(isCurrent),
    offers: dataset.offers.filter(isCurrent),
    others: (dataset.others ?? []).filter(({ message }) => isCurrent(message)),
  };
  divided.set(dataset, { current, drafts });
  return { current, drafts };
}

function mayDraft(record: RecordItem): boolean {
  return isReleasable(record.kind) && ORGANIZATIONS.has(findOwner(record)?.id ?? "");
}

async function draft(store: Store, dataset: Dataset, drafts: readonly RecordItem[]): Promise<void> {
  for (const { id: projectId, organizationId } of dataset.projects) {
    if (PROJECTS[organizationId] !== projectId) continue;
    const release = { id: RELEASE, projectId, name: "All", state: ReleaseState.OPEN };
    await store.in(organizationId).documents.release.create(create(ReleaseSchema, release));
  }
  const last = new Map<string, string>();
  for (const record of drafts) {
    const { kind, pageId } = record;
    const id = recordIdOf(record);
    const projectId = findOwner(record)?.id ?? "";
    const organizationId = ORGANIZATIONS.get(projectId) ?? "";
    const predecessorId = last.get(pageId ?? "") ?? "";
    if (pageId !== undefined) last.set(pageId, id);
    await store.releaseItems.put({
      ...{ organizationId, releaseId: RELEASE, kind, id, projectId, baseRevision: 0 },
      draft: pageId === undefined ? record : { ...record, predecessorId },
      ...{ isForced: false, accountId: "ann", updateTime: NOW },
    });
  }
}
