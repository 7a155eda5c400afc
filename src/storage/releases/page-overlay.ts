import { type Page, PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { ALL_VISIBILITIES, isVisible } from "../../domain/content/visibility.ts";
import { compareCodePoints } from "../../domain/kql/index.ts";
import { missingPage } from "../../domain/pages/page.ts";
import { BEHIND } from "../content/places.ts";
import type { VisibilityScope } from "../contract/content-store.ts";
import type { DocumentPage, VisibleQuery } from "../contract/document-store.ts";
import type { PageKey, PageVisibilityScope, PageWithComponents } from "../contract/pages.ts";
import type { DeliveryReads } from "../contract/store.ts";
import type { DraftLayer, MergedDraft } from "./draft-memory.ts";
import { type DocumentList, mergeDocuments } from "./merged-list.ts";
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

  async list(query: Omit<VisibleQuery, "ids">): Promise<DocumentPage<Page>> {
    const { limit, after, ...scope } = query;
    const drafts = await this.#listVisible(scope);
    const slugs = new Set(drafts.map(({ slug }) => slug));
    const drafted = await this.#releases.find("page");
    if (drafted.size === 0) return this.#current.list(query);
    const list: DocumentList<Page> = {
      ...{ schema: PageSchema, order: "slug" },
      query: { ...query, ...(after && { after: { key: after.key, id: BEHIND } }) },
      toPlace: ({ slug, id }) => ({ key: slug, id }),
      read: (page) => this.#current.list({ ...scope, ...page }),
      // The page of a release has its slug.
      isHidden: ({ id, slug }) => drafted.has(id) || slugs.has(slug),
    };
    return mergeDocuments(list, drafts);
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
    const merged = await this.#releases.mergeOne(drafted);
    const page = merged === undefined ? current?.page : (merged.state?.message as Page | undefined);
    if (page === undefined) return undefined;
    const byId = new Map(current?.components.map((component) => [component.id, component]));
    let ids: readonly string[] = [...byId.keys()];
    const mayBeOnPage = ({ drafts, id: componentId }: DraftedResource) =>
      byId.has(componentId) || drafts.some(({ draftPageId = id }) => draftPageId === id);
    const all = (await this.#releases.find("page_component")).values();
    const components: MergedDraft[] = [];
    for await (const it of this.#releases.merge([...all].filter(mayBeOnPage))) components.push(it);
    components.sort((a, b) => compareCodePoints(a.id, b.id));
    for (const releaseId of this.#releases.releaseIds) {
      const isOfRelease = (layer: DraftLayer) => layer.releaseId === releaseId;
      const order = merged?.layers.find(isOfRelease)?.places.componentIds;
      const drafts = components.flatMap(({ id, layers }) =>
        layers.filter(isOfRelease).map((layer) => ({ ...layer, id })),
      );
      ids = arrangeDrafts(id, ids, drafts, order);
    }
    const states = new Map(components.map((it) => [it.id, it.state]));
    const ordered = ids.flatMap((componentId) => {
      const state = states.get(componentId);
      return (state?.message as PageComponent | undefined) ?? byId.get(componentId) ?? [];
    });
    return { page, components: ordered };
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

/** Awaits a resource; undefined if it does not exist. */
async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof DomainError && error.code === Code.NOT_FOUND) return undefined;
    throw error;
  }
}
