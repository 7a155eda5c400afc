import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import type { Offer } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { BannerCollection } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { listedVisibilities, readableVisibilities } from "../../domain/content/visibility.ts";
import { notFound } from "../../domain/errors.ts";
import { toItemJson } from "../../domain/pages/rendering/item-json.ts";
import type { Session } from "../../domain/pages/rendering/listing.ts";
import { findMirroredId } from "../../domain/pages/rendering/mirror.ts";
import {
  createPageScope,
  findObjectKey,
  type PageParameters,
} from "../../domain/pages/rendering/page-scope.ts";
import type { Reference } from "../../domain/pages/rendering/reference.ts";
import {
  checkReferences,
  type RenderedComponent,
  renderComponent,
} from "../../domain/pages/rendering/render-component.ts";
import type {
  BannerCollectionStore,
  OfferStore,
  PageStore,
  VisibilityScope,
} from "../../storage/delivery-store.ts";
import type { ProjectKey } from "../../storage/store.ts";
import type { ContentLists } from "./content-list.ts";
import { COLLECTIONS } from "./note-listing.ts";

/** What a page is rendered from. */
export interface PageSources {
  readonly pages: Pick<PageStore, "getComponents">;
  readonly bannerCollections: BannerCollectionStore;
  readonly offers: Pick<OfferStore, "getMany">;
  readonly contents: Pick<ContentLists, "get">;
}

/** What a client says of the page that it shows. */
export interface PageState {
  readonly parameters: PageParameters;
  readonly session: Session;
}

/** Some components of a page as a client renders them, in the order they were given. */
export interface RenderedPage {
  /** What the page is about; undefined for a page about nothing, and without the parameter `id`. */
  readonly object: Item | undefined;
  readonly components: readonly RenderedComponent[];
  /** What the components refer to. */
  readonly found: FoundReferences;
  /** The keys of all that took part, also of what was not found: `worldcup/events/match-1`. */
  readonly resources: readonly string[];
}

/** The things that components refer to, by id, as far as the viewer may see them. */
export interface FoundReferences {
  readonly items: ReadonlyMap<ContentKind, ReadonlyMap<string, Item>>;
  readonly banners: ReadonlyMap<string, BannerCollection>;
  readonly offers: ReadonlyMap<string, Offer>;
}

/**
 * Renders some components of a page for whom a key stands for. NOT_FOUND `RESOURCE_NOT_FOUND` for an
 * object that the page is about and that the key may not see.
 */
export type RenderPage = (
  page: Page,
  components: readonly PageComponent[],
  state: PageState,
  key: ProjectKey,
) => Promise<RenderedPage>;

const KINDS: readonly ContentKind[] = ["event", "creative_work", "entity"];

/**
 * Creates the renderer of pages. It asks each source once, however many components there are: first
 * for what the page is about and what its grids mirror, then for what its components refer to.
 */
export function createPageRenderer({
  pages,
  bannerCollections,
  offers,
  contents,
}: PageSources): RenderPage {
  return async (page, components, { parameters, session }, key) => {
    const objectKey = findObjectKey(page, parameters);
    const [object, mirrored] = await Promise.all([
      objectKey && getItem(objectKey.kind, objectKey.id, key),
      getMirrored(components, key),
    ]);
    if (objectKey !== undefined && object === undefined) {
      throw notFound(`${objectKey.kind} ${objectKey.id}`);
    }
    const scope = createPageScope(page, parameters, object && toItemJson(object));
    const rendered = components.map((it) => renderComponent(it, { scope, session, mirrored }));
    const found = await findReferences(rendered, key);
    const exists = ({ kind, id }: Reference) => {
      if (kind === "banner_collection") return found.banners.has(id);
      if (kind === "offer") return found.offers.has(id);
      return found.items.get(kind)?.has(id) === true;
    };
    return {
      object,
      components: rendered.map((it) => checkReferences(it, exists)),
      found,
      resources: [
        `pages/${page.id}`,
        ...[...components.map((it) => it.id), ...listMirroredIds(components)].map(toComponentKey),
        ...(objectKey ? [toResourceKey(objectKey)] : []),
        ...listReferences(rendered).map(toResourceKey),
      ].map((path) => `${key.projectId}/${path}`),
    };
  };

  async function getItem(kind: ContentKind, id: string, key: ProjectKey) {
    return (await contents.get(kind, [id], toScope(key))).get(id);
  }

  async function getMirrored(components: readonly PageComponent[], key: ProjectKey) {
    const scope = toScope(key);
    const found = await pages.getComponents({
      ...scope,
      componentVisibilities: scope.visibilities,
      ids: listMirroredIds(components),
    });
    return new Map(found.map((component) => [component.id, component]));
  }

  async function findReferences(
    rendered: readonly RenderedComponent[],
    key: ProjectKey,
  ): Promise<FoundReferences> {
    const scope = toScope(key);
    const byKind = Map.groupBy(listReferences(rendered), ({ kind }) => kind);
    const listIds = (kind: Reference["kind"]) => [
      ...new Set(byKind.get(kind)?.map(({ id }) => id)),
    ];
    const [banners, sold, ...items] = await Promise.all([
      bannerCollections.getMany({ ...scope, ids: listIds("banner_collection") }),
      // An offer is seen as in lists: there is no way to get an unlisted one by its id.
      offers.getMany({
        projectId: key.projectId,
        visibilities: listedVisibilities(key.kind),
        ids: listIds("offer"),
      }),
      ...KINDS.map(async (kind) => [kind, await contents.get(kind, listIds(kind), scope)] as const),
    ]);
    return {
      items: new Map(items),
      banners: new Map(banners.map((it) => [it.id, it])),
      offers: new Map(sold.map((it) => [it.id, it])),
    };
  }
}

function listMirroredIds(components: readonly PageComponent[]): string[] {
  return components.map(findMirroredId).filter((id) => id !== undefined);
}

function listReferences(rendered: readonly RenderedComponent[]): Reference[] {
  return rendered.flatMap((it) => (it.kind === "shown" ? (it.references ?? []) : []));
}

function toComponentKey(id: string): string {
  return `page_components/${id}`;
}

function toResourceKey({ kind, id }: Pick<Reference, "kind" | "id">): string {
  const collections = { banner_collection: "banner_collections", offer: "offers", ...COLLECTIONS };
  return `${collections[kind]}/${id}`;
}

/** What is shown for its id is seen like what is got by it. */
function toScope({ projectId, kind }: ProjectKey): VisibilityScope {
  return { projectId, visibilities: readableVisibilities(kind) };
}
