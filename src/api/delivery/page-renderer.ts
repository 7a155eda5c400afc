import { toBinary, toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import { type Offer, OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { BannerCollection } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import {
  type ResolvedComponent,
  ResolvedComponentSchema,
} from "../../../gen/svc/cda/ott/page_component/v2/resolved_component_pb.ts";
import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { notFound } from "../../domain/base/errors.ts";
import type { Warning } from "../../domain/base/warnings.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { readStoredFields } from "../../domain/content/stored-fields.ts";
import { listWarningsOf } from "../../domain/filters/filter-warnings.ts";
import { kindOf } from "../../domain/kinds.ts";
import type { Session } from "../../domain/pages/additional-filters.ts";
import { getDataMember } from "../../domain/pages/components/data-member.ts";
import { hasItems } from "../../domain/pages/rendering/listing.ts";
import {
  createPageScope,
  findObjectKey,
  type PageParameters,
} from "../../domain/pages/rendering/page-scope.ts";
import { findMirroredId, type Reference } from "../../domain/pages/rendering/reference.ts";
import {
  type ComponentTemplate,
  checkReferences,
  componentDropped,
  dropForWork,
  type RenderContext,
  type RenderedComponent,
  type ShownComponent,
} from "../../domain/pages/rendering/render-component.ts";
import { surrogateKeyOf } from "../../domain/surrogate-keys.ts";
import { composeJson, type JsonParts, MessageJson } from "../../protojson/message-json.ts";
import type { StoredContent } from "../../storage/contract/content-store.ts";
import { estimateHeap } from "../reads/revision-memo.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import { type ComponentItems, resolveItemsPageSize } from "./component-items.ts";
import { toItem } from "./content-list.ts";

/** The state of a page in a client. */
interface PageState {
  readonly parameters: PageParameters;
  /** Its session storage, as values of any type. */
  readonly session: Readonly<Record<string, Value>>;
}

/** A component of a page. */
export interface PlacedComponent {
  readonly page: Page;
  readonly template: ComponentTemplate;
}

/** Components of a page as a client renders them, in the order given. */
interface RenderedPage {
  /** The object of the page; undefined for a page without one, or without the parameter `id`. */
  readonly object: MessageJson<Item> | undefined;
  readonly components: readonly RenderedComponent[];
  /** The resources referred to by the components. */
  readonly resources: ReferredResources;
}

/** The resources referred to by components, if visible to the key, by kind and id. */
interface ReferredResources extends Record<ContentKind, ReadonlyMap<string, StoredContent>> {
  readonly banner_collection: ReadonlyMap<string, BannerCollection>;
  readonly offer: ReadonlyMap<string, Offer>;
}

/** The size of the item lists of components. */
interface ItemsRequest {
  readonly includeItems: boolean;
  readonly itemsPageSize: number;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * Renders components of pages. Each source is queried once for all components. The object of the page and the resources
 * mirrored by its grids come first, then the references of its components.
 */
export class PageRenderer {
  readonly #items: Pick<ComponentItems, "list">;

  constructor(items: Pick<ComponentItems, "list">) {
    this.#items = items;
  }

  /**
   * Renders the given components of a page as the key's holder may see them, at least the first, until the
   * budget is spent, and adds their resource keys.
   * NOT_FOUND `RESOURCE_NOT_FOUND` for an object of the page that is not visible to the key.
   */
  async render(
    page: Page,
    components: readonly ComponentTemplate[],
    { parameters, session: sent }: PageState,
    call: DeliveryCall,
  ): Promise<RenderedPage> {
    const { key, freshness } = call;
    const { projectId } = key;
    const objectKey = findObjectKey(page, parameters);
    const mirroredIds = components.flatMap(({ component }) => findMirroredId(component) ?? []);
    const [object, mirrored] = await Promise.all([
      objectKey && getItem(objectKey.kind, objectKey.id, call),
      getComponents(mirroredIds, call),
    ]);
    if (objectKey !== undefined && object === undefined) {
      throw notFound(objectKey.kind, objectKey.id);
    }
    const scope = createPageScope(page, parameters, object && readStoredFields(object.json));
    const session = toSession(sent);
    const rendered = await renderAll(components, { scope, session, mirrored }, call);
    const references = rendered.flatMap((component) =>
      component.kind === "shown" ? (component.references ?? []) : [],
    );
    const resources = await findReferences(references, call);
    const componentIds = [...components.map(({ component }) => component.id), ...mirroredIds];
    // Also resources that were not found: they may be created.
    const named = [...(objectKey ? [objectKey] : []), ...references];
    freshness.addResources([
      // Every change of its components names the page, also of those that are hidden.
      surrogateKeyOf("page", projectId, page.id),
      // A mirrored component is visible if its page is, and that can be any page.
      ...(mirroredIds.length > 0 ? [surrogateKeyOf("page", projectId)] : []),
      ...componentIds.map((id) => surrogateKeyOf("page_component", projectId, id)),
      ...named.map(({ kind, id }) => surrogateKeyOf(kind, projectId, id)),
    ]);
    return {
      object: objectKey && object && toItem(objectKey.kind, object),
      components: rendered.map((component) =>
        checkReferences(component, ({ kind, id }) => resources[kind].has(id)),
      ),
      resources,
    };
  }

  /** Renders one component of a page. FAILED_PRECONDITION `COMPONENT_DROPPED`; fails like {@link render}. */
  async show(
    { page, template }: PlacedComponent,
    state: PageState,
    call: DeliveryCall,
  ): Promise<{ readonly shown: ShownComponent; readonly resources: ReferredResources }> {
    const { components, resources } = await this.render(page, [template], state, call);
    const [shown] = components;
    if (shown === undefined) throw new Error("a rendered component is neither shown nor dropped");
    if (shown.kind === "dropped") throw componentDropped(shown);
    return { shown, resources };
  }

  /** Creates the message of a rendered component, with its items if they are requested and not hidden. */
  async toMessage(
    { component, json, listing, ...shown }: ShownComponent,
    resources: ReferredResources,
    request: ItemsRequest,
    call: DeliveryCall,
  ): Promise<MessageJson<ResolvedComponent>> {
    const references: readonly Reference[] = shown.references ?? [];
    const fields: Mutable<JsonParts<ResolvedComponent>> = {
      component: json === undefined ? component : new MessageJson(PageComponentSchema, [json]),
      ...(listing && {
        filter: listing.filter,
        search: listing.search,
        hidden: listing.hidden,
        pinned: [...listing.pinned],
      }),
      offers: takeOffers(references, resources, call),
    };
    if (!request.includeItems) return composeJson(ResolvedComponentSchema, fields);
    if (hasItems(listing)) {
      const size = resolveItemsPageSize(request.itemsPageSize, listing, "items_page_size");
      const query = { componentId: component.id, listing, size, pageSize: 0, pageToken: "" };
      const { items, nextPageToken } = await this.#items.list(query, call);
      fields.items = items;
      fields.itemsNextPageToken = nextPageToken;
    }
    for (const { kind, id } of references) {
      if (kind === "offer") continue;
      if (kind === "banner_collection") {
        const banners = resources[kind].get(id);
        if (banners !== undefined) fields.bannerCollection = banners;
      } else {
        const item = resources[kind].get(id);
        if (item !== undefined) fields.items = [toItem(kind, item)];
      }
    }
    return composeJson(ResolvedComponentSchema, fields);
  }
}

/** Returns the offers of a component, while the lists of the response are not too large. */
function takeOffers(
  references: readonly Reference[],
  { offer: offers }: ReferredResources,
  { budget }: DeliveryCall,
): readonly Offer[] {
  const shown: Offer[] = [];
  for (const { kind, id } of references) {
    const offer = kind === "offer" ? offers.get(id) : undefined;
    if (offer === undefined) continue;
    if (!budget.takeBytes(toBinary(OfferSchema, offer).length)) break;
    shown.push(offer);
  }
  return shown;
}

async function getItem(kind: ContentKind, id: string, call: DeliveryCall) {
  return (await getItems(kind, [id], call)).get(id);
}

/** Returns items by id; missing ones are absent. */
async function getItems(
  kind: ContentKind,
  ids: readonly string[],
  { readable, reads }: DeliveryCall,
): Promise<ReadonlyMap<string, StoredContent>> {
  const items = await reads.contents[kind].getMany({ ...readable, ids });
  return new Map(items.map((item) => [item.id, item]));
}

async function getComponents(ids: readonly string[], { readable, reads }: DeliveryCall) {
  const componentVisibilities = readable.visibilities;
  const components = await reads.pages.getComponents({ ...readable, componentVisibilities, ids });
  return new Map(components.map((template) => [template.component.id, template]));
}

async function findReferences(
  references: readonly Reference[],
  call: DeliveryCall,
): Promise<ReferredResources> {
  const { listed, readable } = call;
  const { pages } = call.reads;
  const byKind = Map.groupBy(references, ({ kind }) => kind);
  const listIds = (kind: Reference["kind"]) => [...new Set(byKind.get(kind)?.map(({ id }) => id))];
  const [banners, offers, event, creative_work, entity] = await Promise.all([
    pages.getDocuments("banner_collection", { ...readable, ids: listIds("banner_collection") }),
    // Offers as in lists: no method returns an unlisted one by its id.
    pages.getDocuments("offer", { ...listed, ids: listIds("offer") }),
    getItems("event", listIds("event"), call),
    getItems("creative_work", listIds("creative_work"), call),
    getItems("entity", listIds("entity"), call),
  ]);
  return {
    event,
    creative_work,
    entity,
    banner_collection: new Map(banners.map((banner) => [banner.id, banner])),
    offer: new Map(offers.map((offer) => [offer.id, offer])),
  };
}

/** About the most bytes of rendered components, as stored or with their values. Further ones are dropped. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Renders components until the budget is spent or they are too large, which does not limit the first; others are dropped. */
async function renderAll(
  components: readonly ComponentTemplate[],
  context: RenderContext,
  { budget }: DeliveryCall,
): Promise<readonly RenderedComponent[]> {
  const rendered: RenderedComponent[] = [];
  let bytes = 0;
  for (const component of components) {
    const isTooLarge = bytes > MOST_BYTES;
    if ((budget.isSpent || isTooLarge) && rendered.length > 0) {
      rendered.push(dropForWork(component));
    } else {
      const each = await budget.run(component.render(context));
      rendered.push(each);
      if (each.kind === "shown") bytes += sizeOf(each);
    }
  }
  return rendered;
}

function sizeOf({ component, json }: ShownComponent): number {
  return json?.length ?? estimateHeap(component, MOST_BYTES);
}

function toSession(values: PageState["session"]): Session {
  const entries = Object.entries(values).map(([key, value]) => [key, toJson(ValueSchema, value)]);
  return Object.fromEntries(entries);
}

/** Lists warnings about the filter of a shown component, with the clauses of the session; paths begin with `prefix`. */
export function listShownWarnings(
  { component, listing }: ShownComponent,
  prefix = "",
): readonly Warning[] {
  if (!hasItems(listing)) return [];
  const path = `${prefix}${getDataMember(component)?.name}.filter`;
  return listWarningsOf(listing.node, path, kindOf(listing.kind).schema);
}
