import { toBinary } from "@bufbuild/protobuf";
import { type Page, PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { ALL_VISIBILITIES } from "../../domain/content/visibility.ts";
import { cutPage } from "../../domain/cut-page.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { arrangeComponents } from "../../domain/pages/components/layout.ts";
import type { VisibilityScope } from "../delivery-store.ts";
import type { ListPlace } from "../sql/content/plan/clauses.ts";
import { missingPage, type PageOfPages, type PageWithComponents } from "../sql/pages.ts";
import type { DeliveryReads, PageKey, PageVisibilityScope } from "../store.ts";
import { mergeDrafts } from "./merged-list.ts";
import type { MergedDraft, ReleaseStates } from "./release-states.ts";

type PageReads = DeliveryReads["pages"];

/** Reads everything. */
const ALL = { visibilities: ALL_VISIBILITIES, componentVisibilities: ALL_VISIBILITIES };

/** Pages as releases leave them. */
export class PageOverlay implements PageReads {
  readonly #live: PageReads;
  readonly #releases: ReleaseStates;

  constructor(live: PageReads, releases: ReleaseStates) {
    this.#live = live;
    this.#releases = releases;
  }

  async get(key: PageKey): Promise<PageWithComponents> {
    const id = await this.#findId(key);
    const found = id === undefined ? undefined : await this.#read(key.projectId, id);
    if (found === undefined || !isIn(key.visibilities, found.page)) throw missingPage(key);
    const components = found.components.filter((it) => isIn(key.componentVisibilities, it));
    const isMissing = "componentId" in key && !components.some((it) => it.id === key.componentId);
    if (isMissing) throw missingPage(key);
    return { page: found.page, components };
  }

  async getComponents({
    ids,
    ...scope
  }: PageVisibilityScope & { readonly ids: readonly string[] }): Promise<readonly PageComponent[]> {
    const [pages, components] = await this.#readStates();
    if (pages.states.size + components.states.size === 0) {
      return this.#live.getComponents({ ...scope, ids });
    }
    const found = [...new Set(ids)].map(async (componentId) => {
      const page = await orUndefined(this.get({ ...scope, componentId }));
      return page?.components.find(({ id }) => id === componentId) ?? [];
    });
    return (await Promise.all(found)).flat();
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
    const { states } = await this.#releases.of("page");
    const list = {
      order: { field: "slug", direction: "asc" } as const,
      limit: limit + 1,
      after: after === undefined ? undefined : { key: after, id: BEHIND },
      read: async (limit: number, place: ListPlace | undefined) => {
        const slug = place && { after: String(place.key) };
        const { pages, hasMore } = await this.#live.list({ ...scope, limit, ...slug });
        const rows = pages.map(toRow);
        return { rows, next: hasMore ? rows.at(-1) : undefined };
      },
      // The page of a release has its slug.
      isHidden: ({ page: { id, slug } }: PageRow) => states.has(id) || slugs.has(slug),
    };
    const { rows } = await mergeDrafts<PageRow>(list, drafts.map(toRow));
    const { shown, last } = cutPage(rows, limit, ({ page }) => toBinary(PageSchema, page).length);
    return { pages: shown.map(({ page }) => page), hasMore: last !== undefined };
  }

  /** Returns the id of a page, which may be invisible; undefined if there is none. */
  async #findId(key: PageKey): Promise<string | undefined> {
    if ("id" in key) return key.id;
    const [pages, components] = await this.#readStates();
    if ("slug" in key) {
      const drafted = (await this.#listVisible(key)).find(({ slug }) => slug === key.slug);
      if (drafted !== undefined) return drafted.id;
    } else {
      const state = components.states.get(key.componentId);
      const isDeleted = state === undefined && components.states.has(key.componentId);
      if (isDeleted || state?.pageId !== undefined) return state?.pageId;
    }
    const live = await orUndefined(this.#live.get({ ...key, ...ALL }));
    const isElsewhere = "slug" in key && live !== undefined && pages.states.has(live.page.id);
    return isElsewhere ? undefined : live?.page.id;
  }

  /** Reads a page with all of its components; undefined if there is none. */
  async #read(projectId: string, id: string): Promise<PageWithComponents | undefined> {
    const live = await orUndefined(this.#live.get({ projectId, ...ALL, id }));
    const [pages, components] = await this.#readStates();
    const page = pages.states.has(id) ? (pages.states.get(id)?.message as Page) : live?.page;
    if (page === undefined) return undefined;
    const byId = new Map(live?.components.map((component) => [component.id, component]));
    let ids: readonly string[] = [...byId.keys()];
    for (const layer of this.#releases.layers.keys()) {
      const ofLayer = (it: MergedDraft) => it.layer === layer;
      const order = pages.merged.filter(ofLayer).find(({ draft }) => draft.id === id)?.draft.draft;
      ids = arrange(id, ids, components.merged.filter(ofLayer), order?.componentIds);
    }
    const ordered = ids.flatMap((componentId) => {
      const state = components.states.get(componentId);
      return (state?.message as PageComponent | undefined) ?? byId.get(componentId) ?? [];
    });
    return { page, components: ordered };
  }

  /** Lists the pages of releases that a scope sees. */
  async #listVisible({ visibilities }: VisibilityScope): Promise<readonly Page[]> {
    const { states } = await this.#releases.of("page");
    const pages = [...states.values()].flatMap((state) => (state?.message as Page) ?? []);
    return pages.filter((page) => isIn(visibilities, page));
  }

  #readStates() {
    return Promise.all([this.#releases.of("page"), this.#releases.of("page_component")]);
  }
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

/** Orders the components of a page after one release. */
function arrange(
  pageId: string,
  before: readonly string[],
  drafts: readonly MergedDraft[],
  order: readonly string[] | undefined,
): readonly string[] {
  const gone = new Set(
    drafts
      .filter(({ state }) => state === undefined || (state.pageId ?? pageId) !== pageId)
      .map(({ draft }) => draft.id),
  );
  const stayed = before.filter((id) => !gone.has(id));
  const added = drafts
    .filter(({ state, draft }) => state?.pageId === pageId && !stayed.includes(draft.id))
    .map(({ draft }) => ({ id: draft.id, predecessorId: draft.draft?.predecessorId }));
  return arrangeComponents(
    stayed,
    added.map(({ id }) => id),
    added,
    order,
  );
}

function isIn(
  visibilities: readonly number[],
  { visibility }: Pick<Page | PageComponent, "visibility">,
): boolean {
  return visibilities.includes(visibility);
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
