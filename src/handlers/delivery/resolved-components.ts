import { create } from "@bufbuild/protobuf";
import type { ContextValues } from "@connectrpc/connect";
import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import {
  type ResolvedComponent,
  ResolvedComponentSchema,
} from "../../../gen/svc/cda/ott/page_component/v2/resolved_component_pb.ts";
import { hasItems, type ItemListing } from "../../domain/pages/rendering/listing.ts";
import type { ShownComponent } from "../../domain/pages/rendering/render-component.ts";
import { type ComponentItems, resolveItemsPageSize } from "./component-items.ts";
import type { ListViewer } from "./content-list.ts";
import { noteListed, noteListing } from "./note-listing.ts";
import type { FoundReferences } from "./page-renderer.ts";

/** What a caller asks of the items of components. */
export interface ItemsRequest {
  readonly includeItems: boolean;
  readonly itemsPageSize: number;
}

/** Makes the message of a component that is shown. */
export type ToResolvedComponent = (
  shown: ShownComponent,
  found: FoundReferences,
  request: ItemsRequest,
  viewer: ListViewer,
  values: ContextValues,
) => Promise<ResolvedComponent>;

/** Creates the making of messages; it lists items where they are asked for and not hidden. */
export function createToResolvedComponent(componentItems: ComponentItems): ToResolvedComponent {
  return async ({ component, listing, references = [] }, found, request, viewer, values) => {
    const message = create(ResolvedComponentSchema, {
      component,
      ...(listing && {
        filter: listing.filter,
        search: listing.search,
        hidden: listing.hidden,
        pinned: [...listing.pinned],
      }),
      offers: references.flatMap((it) =>
        it.kind === "offer" ? (found.offers.get(it.id) ?? []) : [],
      ),
    });
    if (!request.includeItems) return message;
    if (hasItems(listing)) {
      const size = resolveItemsPageSize(request.itemsPageSize, listing, "items_page_size");
      const query = { componentId: component.id, listing, size, pageToken: "" };
      const page = await componentItems.list(query, viewer);
      noteItems(values, viewer, listing, page.items);
      message.items = page.items;
      message.itemsNextPageToken = page.nextPageToken;
    }
    for (const { kind, id } of references) {
      if (kind === "offer") continue;
      if (kind === "banner_collection") {
        const banners = found.banners.get(id);
        if (banners !== undefined) message.bannerCollection = banners;
      } else {
        const item = found.items.get(kind)?.get(id);
        if (item !== undefined) message.items = [item];
      }
    }
    return message;
  };
}

/** Says how long the items of a component may be shown, and names them; what is hidden shows none. */
export function noteItems(
  values: ContextValues,
  viewer: ListViewer,
  listing: ItemListing,
  items: readonly Item[],
): void {
  if (listing.hidden) return;
  noteListing(values, listing);
  noteListed(values, viewer, listing.kind, items);
}
