import { toBinary } from "@bufbuild/protobuf";
import { type Page, PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { cutPage } from "../../domain/base/paging.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { ALL_VISIBILITIES, isVisible } from "../../domain/content/visibility.ts";
import { compareCodePoints } from "../../domain/kql/index.ts";
import { missingPage } from "../../domain/pages/page.ts";
import type { ListPlace } from "../content/places.ts";
import type { VisibilityScope } from "../contract/content-store.ts";
import type {
  PageKey,
  PageOfPages,
  PageVisibilityScope,
  PageWithComponents,
} from "../contract/pages.ts";
import type { DeliveryReads } from "../contract/store.ts";
import type { MergedDraft } from "./draft-memory.ts";
import { mergeDrafts } from "./merged-list.ts";
import { arrangeDrafts } from "./page-order.ts";
import type { DraftedResource, ReleaseStates } from "./release-states.ts";

type PageReads = DeliveryReads["pages"];

/** Reads everything. */
const ALL = {
  visibilities: ALL_VISIBILITIES,
  componentVisibilities: ALL_VISIBILITIES,
  at: undefined,
};

/** Pages as releases leave them. */
export class PageOverlay implements PageReads {
  readonly #current: PageReads;
  readonly #releases: ReleaseStates;

  constructor(current: PageReads, releases: ReleaseStates) {
    this.#current = current;
    this.#releases = releases;
  }

  async get(key: PageKey, budget?: WorkBudget): Promise<PageWithComponents> {
    const place = await this.#find(key, budget);
    const found = place && (await this.#read(place));
    if (found === undefined || !isVisible(found.page, key)) throw missingPage(key);
    const shown = { visibilities: key.componentVisibilities, at: key.at };
    const visible = found.components.filter((it) => isVisible(it, shown));
    if (!("componentId" in key)) return { page: found.page, components: visible };
    const components = visible.filter(({ id }) => id === key.componentId);
    if (components.length === 0) throw missingPage(key);
    return { page: found.page, components };
  }

  async getComponents({
    ids,
    ...scope
  }: PageVisibilityScope & { readonly ids: readonly string[] }): Promise<readonly PageComponent[]> {
    const { organization } = this.#releases;
    const drafted = await this.#releases.find("page_component", ids);
    const draftedPages = await this.#releases.find("page");
    const undrafted = [...new Set(ids)].filter((id) => !drafted.has(id));
    const pageOf = new Map<string, string | undefined>();
    if (draftedPages.size > 0) {
      for (const [id, pageId] of await organization.pageComponents.findPages(undrafted)) {
        if (draftedPages.has(pageId)) pageOf.set(id, pageId);
      }
    }
    const current = await this.#current.getComponents({
      ...scope,
      ids: undrafted.filter((id) => !pageOf.has(id)),
    });
    const { projectId } = scope;
    const components = [
      ...(await this.#current.getComponents({ projectId, ...ALL, ids: [...pageOf.keys()] })),
    ];
    for await (const { id, state } of this.#releases.merge(drafted.values())) {
      if (state === undefined) continue;
      components.push(state.message as PageComponent);
      pageOf.set(id, state.pageId ?? drafted.get(id)?.drafts[0].currentPageId);
    }
    const pages = await this.#findVisiblePages(new Set(pageOf.values()), scope);
    const shown = { visibilities: scope.componentVisibilities, at: scope.at };
    const found = components.filter((it) => isVisible(it, shown) && pages.has(pageOf.get(it.id)));
    return [...current, ...found];
  }

  async list({
    limit,
    after,
    ...scope
  }: VisibilityScope & {
    readonly limit: number;
    readonly after?: string;
  }): Promise<PageOfPages> {
    const drafts = await this.#listVisible(scope);
    const slugs = new Set(drafts.map(({ slug }) => slug));
    const drafted = await this.#releases.find("page");
    if (drafted.size === 0) return this.#current.list({ limit, ...(after && { after }), ...scope });
    const list = {
      order: { field: "slug", direction: "asc" } as const,
      limit: limit + 1,
      after: after === undefined ? undefined : { key: after, id: BEHIND },
      read: async (limit: number, place: ListPlace | undefined) => {
        const slug = place && { after: String(place.key) };
        const { pages, hasMore } = await this.#current.list({ ...scope, limit, ...slug });
        const rows = pages.map(toRow);
        return { rows, next: hasMore ? rows.at(-1) : undefined };
      },
      // The page of a release has its slug.
      isHidden: ({ page: { id, slug } }: PageRow) => drafted.has(id) || slugs.has(slug),
    };
    const { rows } = await mergeDrafts<PageRow>(list, drafts.map(toRow));
    const { shown, last } = cutPage(rows, limit, ({ page }) => toBinary(PageSchema, page).length);
    return { pages: shown.map(({ page }) => page), hasMore: last !== undefined };
  }

  /** Finds a page, which may be invisible, and reads its current version; undefined if there is none. */
  async #find(key: PageKey, budget: WorkBudget | undefined): Promise<FoundPage | undefined> {
    const { projectId } = key;
    const findById = async (id: string) => ({
      ...{ id, current: await orUndefined(this.#current.get({ projectId, ...ALL, id }, budget)) },
    });
    if ("slug" in key) {
      const drafted = (await this.#listVisible(key)).find(({ slug }) => slug === key.slug);
      if (drafted !== undefined) return findById(drafted.id);
      const current = await orUndefined(this.#current.get({ ...key, ...ALL }, budget));
      if (current === undefined) return undefined;
      const { id } = current.page;
      return (await this.#releases.find("page", [id])).has(id) ? undefined : { id, current };
    }
    if ("id" in key) return findById(key.id);
    const { componentId } = key;
    const drafted = (await this.#releases.find("page_component", [componentId])).get(componentId);
    const merged = await this.#releases.mergeOne(drafted);
    if (merged !== undefined && merged.state === undefined) return undefined;
    if (merged?.state?.pageId !== undefined) return findById(merged.state.pageId);
    const current = await orUndefined(this.#current.get({ ...key, ...ALL }, budget));
    return current && { id: current.page.id, current };
  }

  /** Reads a page with the components of its current state, and those that drafts put on it; undefined if there is none. */
  async #read({ id, current }: FoundPage): Promise<PageWithComponents | undefined> {
    const drafted = (await this.#releases.find("page", [id])).get(id);
    const pages = drafted === undefined ? [] : await this.#mergeByLayer([drafted]);
    const merged = pages.at(-1)?.merged;
    const page = merged === undefined ? current?.page : (merged.state?.message as Page | undefined);
    if (page === undefined) return undefined;
    const byId = new Map(current?.components.map((component) => [component.id, component]));
    let ids: readonly string[] = [...byId.keys()];
    const components = await this.#releases.find("page_component");
    const mayBeOnPage = ({ drafts, id: componentId }: DraftedResource) =>
      byId.has(componentId) || drafts.some(({ draftPageId = id }) => draftPageId === id);
    const layers = await this.#mergeByLayer([...components.values()].filter(mayBeOnPage));
    for (const releaseId of this.#releases.releaseIds) {
      const ofLayer = (it: LayerDraft) => it.releaseId === releaseId;
      const order = pages.find(ofLayer)?.merged.places;
      const drafts = layers.filter(ofLayer).map((it) => it.merged);
      ids = arrangeDrafts(id, ids, drafts, order?.componentIds);
    }
    const states = new Map(layers.map(({ merged }) => [merged.id, merged.state]));
    const ordered = ids.flatMap((componentId) => {
      const state = states.get(componentId);
      return (state?.message as PageComponent | undefined) ?? byId.get(componentId) ?? [];
    });
    return { page, components: ordered };
  }

  /** Merges resources, by id, with the state after each of their drafts; the last state of a resource comes last. */
  async #mergeByLayer(resources: Iterable<DraftedResource>): Promise<readonly LayerDraft[]> {
    const layers: LayerDraft[] = [];
    let rest = [...resources];
    for (let length = 1; rest.length > 0; length += 1) {
      const below = rest.map((resource) => resource.first(length));
      const releaseIds = new Map(below.map(({ id, drafts }) => [id, drafts.at(-1)?.releaseId]));
      for await (const merged of this.#releases.merge(below)) {
        layers.push({ releaseId: releaseIds.get(merged.id), merged });
      }
      rest = rest.filter(({ drafts }) => drafts.length > length);
    }
    return layers.sort((a, b) => compareCodePoints(a.merged.id, b.merged.id));
  }

  /** Finds the pages among some ids that a scope sees. */
  async #findVisiblePages(
    ids: ReadonlySet<string | undefined>,
    scope: VisibilityScope,
  ): Promise<ReadonlySet<string | undefined>> {
    const named = [...ids].filter((id) => id !== undefined);
    if (named.length === 0) return new Set();
    const drafted = await this.#releases.find("page", named);
    const { documents } = this.#releases.organization;
    const stored = await documents.page.getMany(named.filter((id) => !drafted.has(id)));
    const pages = stored.map(({ value }) => value).filter((it) => it.projectId === scope.projectId);
    for await (const { state } of this.#releases.merge(drafted.values())) {
      if (state !== undefined) pages.push(state.message as Page);
    }
    return new Set(pages.filter((page) => isVisible(page, scope)).map(({ id }) => id));
  }

  /** Lists the pages of releases that a scope sees. */
  async #listVisible(scope: VisibilityScope): Promise<readonly Page[]> {
    const pages: Page[] = [];
    const drafted = await this.#releases.find("page");
    for await (const { state } of this.#releases.merge(drafted.values())) {
      if (state !== undefined) pages.push(state.message as Page);
    }
    const visible = pages.filter((page) => isVisible(page, scope));
    return visible.sort((a, b) => compareCodePoints(a.id, b.id));
  }
}

/** A page that was found, with its current state; `current` is absent for a page that a release creates. */
interface FoundPage {
  readonly id: string;
  readonly current: PageWithComponents | undefined;
}

/** A resource as one release leaves it. */
interface LayerDraft {
  readonly releaseId: string | undefined;
  readonly merged: MergedDraft;
}

/** A page in a list, whose place is its slug. */
interface PageRow extends ListPlace {
  readonly page: Page;
}

/** An id after all others. */
const BEHIND = "\u{10ffff}";

function toRow(page: Page): PageRow {
  return { key: page.slug, id: page.id, page };
}

/** Awaits a resource; undefined if it does not exist. */
async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof DomainError && error.code === Code.NOT_FOUND) return undefined;
    throw error;
  }
}
