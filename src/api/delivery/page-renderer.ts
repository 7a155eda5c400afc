import { toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import type { Offer } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { BannerCollection } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import {
  type ResolvedComponent,
  ResolvedComponentSchema,
} from "../../../gen/svc/cda/ott/page_component/v2/resolved_component_pb.ts";
import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { readStoredFields } from "../../domain/content/stored-fields.ts";
import { listedVisibilities, readableVisibilities } from "../../domain/content/visibility.ts";
import { notFound } from "../../domain/errors.ts";
import { surrogateKeyOf } from "../../domain/kinds.ts";
import { hasItems, type Session } from "../../domain/pages/rendering/listing.ts";
import {
  createPageScope,
  findObjectKey,
  type PageParameters,
} from "../../domain/pages/rendering/page-scope.ts";
import { findMirroredId, type Reference } from "../../domain/pages/rendering/reference.ts";
import {
  type ComponentTemplate,
  checkReferences,
  dropForWork,
  type RenderContext,
  type RenderedComponent,
  type ShownComponent,
} from "../../domain/pages/rendering/render-component.ts";
import { composeJson, type JsonParts, MessageJson } from "../../protojson/message-json.ts";
import type { StoredContent, VisibilityScope } from "../../storage/delivery-store.ts";
import type { ProjectKey } from "../../storage/store.ts";
import { type ListComponentItems, resolveItemsPageSize } from "./component-items.ts";
import { toItem } from "./content-item.ts";
import type { ContentLists, ReadContext } from "./content-list.ts";
import type { PageConfiguration } from "./page-configuration.ts";

/** The sources of rendered pages. */
export interface PageSources {
  readonly configuration: PageConfiguration;
  readonly contents: Pick<ContentLists, "getItems">;
  readonly listComponentItems: ListComponentItems;
}

/** The state of a page in a client. */
export interface PageState {
  readonly parameters: PageParameters;
  /** Its session storage, as values of any type. */
  readonly session: Readonly<Record<string, Value>>;
}

/** Components of a page as a client renders them, in the order given. */
export interface RenderedPage {
  /** The object of the page; undefined for a page without one, or without the parameter `id`. */
  readonly object: MessageJson<Item> | undefined;
  readonly components: readonly RenderedComponent[];
  /** The resources to which the components refer. */
  readonly found: FoundReferences;
}

/** The resources to which components refer, by id, that are visible to the key. */
export interface FoundReferences {
  readonly items: ReadonlyMap<ContentKind, ReadonlyMap<string, StoredContent>>;
  readonly banners: ReadonlyMap<string, BannerCollection>;
  readonly offers: ReadonlyMap<string, Offer>;
}

/** The size of the item lists of components. */
export interface ItemsRequest {
  readonly includeItems: boolean;
  readonly itemsPageSize: number;
}

/** Renders components of pages. */
export interface PageRenderer {
  /**
   * Renders the given components of a page as the key's holder may see them, at least the first, until the
   * budget is spent, and adds their resource keys.
   * NOT_FOUND `RESOURCE_NOT_FOUND` for an object of the page that is not visible to the key.
   */
  render(
    page: Page,
    components: readonly ComponentTemplate[],
    state: PageState,
    reader: ReadContext,
  ): Promise<RenderedPage>;
  /** Creates the message of a rendered component, with its items if they are requested and not hidden. */
  toMessage(
    shown: ShownComponent,
    found: FoundReferences,
    request: ItemsRequest,
    reader: ReadContext,
  ): Promise<MessageJson<ResolvedComponent>>;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const KINDS: readonly ContentKind[] = ["event", "creative_work", "entity"];

/**
 * Creates the renderer of pages. It queries each source once, whatever the number of components: first for
 * the object of the page and the resources that its grids mirror, then for the references of its components.
 */
export function createPageRenderer(sources: PageSources): PageRenderer {
  const { configuration, contents, listComponentItems } = sources;
  const { pages, bannerCollections, offers } = configuration;
  return {
    async render(page, components, { parameters, session: sent }, reader) {
      const { key, freshness } = reader;
      const objectKey = findObjectKey(page, parameters);
      const [object, mirrored] = await Promise.all([
        objectKey && getItem(objectKey.kind, objectKey.id, key),
        getMirrored(components, key),
      ]);
      if (objectKey !== undefined && object === undefined) {
        throw notFound(`${objectKey.kind} ${objectKey.id}`);
      }
      const scope = createPageScope(page, parameters, object && readStoredFields(object.json));
      const session = toSession(sent);
      const rendered = await renderAll(components, { scope, session, mirrored }, reader);
      const found = await findReferences(rendered, key);
      const exists = ({ kind, id }: Reference) => {
        if (kind === "banner_collection") return found.banners.has(id);
        if (kind === "offer") return found.offers.has(id);
        return found.items.get(kind)?.has(id) === true;
      };
      // Also resources that were not found: they may be created.
      const resources: Pick<Reference, "kind" | "id">[] = [
        ...(objectKey ? [objectKey] : []),
        ...listReferences(rendered),
      ];
      const componentIds = [
        ...components.map(({ component }) => component.id),
        ...listMirroredIds(components),
      ];
      const { projectId } = key;
      freshness.addResources([
        surrogateKeyOf("page", projectId, page.id),
        ...componentIds.map((id) => surrogateKeyOf("page_component", projectId, id)),
        ...resources.map(({ kind, id }) => surrogateKeyOf(kind, projectId, id)),
      ]);
      return {
        object: objectKey && object && toItem(objectKey.kind, object),
        components: rendered.map((it) => checkReferences(it, exists)),
        found,
      };
    },

    async toMessage({ component, json, listing, references = [] }, found, request, reader) {
      const parts: Mutable<JsonParts<ResolvedComponent>> = {
        component: json === undefined ? component : new MessageJson(PageComponentSchema, [json]),
        ...(listing && {
          filter: listing.filter,
          search: listing.search,
          hidden: listing.hidden,
          pinned: [...listing.pinned],
        }),
        offers: references.flatMap((it) =>
          it.kind === "offer" ? (found.offers.get(it.id) ?? []) : [],
        ),
      };
      if (!request.includeItems) return composeJson(ResolvedComponentSchema, parts);
      if (hasItems(listing)) {
        const size = resolveItemsPageSize(request.itemsPageSize, listing, "items_page_size");
        const query = { componentId: component.id, listing, size, pageToken: "" };
        const { items, nextPageToken } = await listComponentItems(query, reader);
        parts.items = items;
        parts.itemsNextPageToken = nextPageToken;
      }
      for (const { kind, id } of references) {
        if (kind === "offer") continue;
        if (kind === "banner_collection") {
          const banners = found.banners.get(id);
          if (banners !== undefined) parts.bannerCollection = banners;
        } else {
          const item = found.items.get(kind)?.get(id);
          if (item !== undefined) parts.items = [toItem(kind, item)];
        }
      }
      return composeJson(ResolvedComponentSchema, parts);
    },
  };

  async function getItem(kind: ContentKind, id: string, key: ProjectKey) {
    return (await contents.getItems(kind, [id], toScope(key))).get(id);
  }

  async function getMirrored(components: readonly ComponentTemplate[], key: ProjectKey) {
    const scope = toScope(key);
    const found = await pages.getComponents({
      ...scope,
      componentVisibilities: scope.visibilities,
      ids: listMirroredIds(components),
    });
    return new Map(found.map((it) => [it.component.id, it]));
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
      // Offers as in lists: no method returns an unlisted one by its id.
      offers.getMany({
        projectId: key.projectId,
        visibilities: listedVisibilities(key.kind),
        ids: listIds("offer"),
      }),
      ...KINDS.map(
        async (kind) => [kind, await contents.getItems(kind, listIds(kind), scope)] as const,
      ),
    ]);
    return {
      items: new Map(items),
      banners: new Map(banners.map((it) => [it.id, it])),
      offers: new Map(sold.map((it) => [it.id, it])),
    };
  }
}

/** Renders components until the budget is spent, which does not limit the first; the others are dropped. */
async function renderAll(
  components: readonly ComponentTemplate[],
  context: RenderContext,
  { budget, freshness }: ReadContext,
): Promise<readonly RenderedComponent[]> {
  const rendered: RenderedComponent[] = [];
  for (const component of components) {
    if (budget.isSpent && rendered.length > 0) {
      // The next request may get further.
      freshness.limit(0);
      rendered.push(dropForWork(component));
    } else {
      rendered.push(await budget.run(component.render(context)));
    }
  }
  return rendered;
}

function toSession(values: PageState["session"]): Session {
  const entries = Object.entries(values).map(([key, value]) => [key, toJson(ValueSchema, value)]);
  return Object.fromEntries(entries);
}

function listMirroredIds(components: readonly ComponentTemplate[]): string[] {
  return components.flatMap(({ component }) => findMirroredId(component) ?? []);
}

function listReferences(rendered: readonly RenderedComponent[]): Reference[] {
  return rendered.flatMap((it) => (it.kind === "shown" ? (it.references ?? []) : []));
}

/** Returns the scope of a get method, which also applies to resources that a component refers to by id. */
function toScope({ projectId, kind }: ProjectKey): VisibilityScope {
  return { projectId, visibilities: readableVisibilities(kind) };
}
