import type { HandlerContext } from "@connectrpc/connect";
import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import { getProjectKey } from "../../call/context.ts";
import { noteResources } from "../../call/freshness.ts";
import type { FindCountry } from "../../call/viewer-place.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { readableVisibilities } from "../../domain/content/visibility.ts";
import { blameField, notFound } from "../../domain/errors.ts";
import type { PagePosition, PageTokens } from "../../domain/messages/page-token.ts";
import { DELIVERY_PAGE_SIZE, resolvePageSize } from "../../domain/messages/paging.ts";
import type { ContentPlace } from "../../storage/delivery-store.ts";
import type { ContentLists } from "./content-list.ts";
import { COLLECTIONS, noteListed, noteListing } from "./note-listing.ts";
import { toViewer } from "./viewer.ts";

/** What a caller asks of a list. */
export interface ListRequest {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly filter: string;
  readonly search: string;
  readonly order: string;
  readonly excludeGeoblocked?: boolean;
}

/** Answers the methods that all kinds of content have. */
export interface ContentAnswers {
  list(
    kind: ContentKind,
    request: ListRequest,
    context: HandlerContext,
  ): Promise<{ items: readonly Item[]; nextPageToken: string }>;
  get(kind: ContentKind, id: string, context: HandlerContext): Promise<Item>;
}

/** Creates the answers over the lists of content. */
export function createContentAnswers(
  lists: ContentLists,
  pageTokens: PageTokens,
  findCountry: FindCountry,
): ContentAnswers {
  return {
    async list(kind, request, context) {
      const { values } = context;
      const viewer = toViewer(context, findCountry);
      const { pageToken, filter, search, order, excludeGeoblocked = false } = request;
      const limit = resolvePageSize(request.pageSize, DELIVERY_PAGE_SIZE);
      const listing = { kind, filter, search, order, excludeGeoblocked };
      const list = ["content", kind, filter, search, order, excludeGeoblocked];
      const binding = [...list, viewer.key.projectId, viewer.key.kind];
      blameField("filter", () => noteListing(values, listing));
      const { items, next } = await lists.list(
        listing,
        viewer,
        limit,
        pageToken === "" ? undefined : toPlace(pageTokens.open(pageToken, binding)),
      );
      noteListed(values, viewer, kind, items);
      return { items, nextPageToken: next ? pageTokens.seal([next.key, next.id], binding) : "" };
    },

    async get(kind, id, { values }) {
      const { projectId, kind: keyKind } = getProjectKey(values);
      const visibilities = readableVisibilities(keyKind);
      const item = (await lists.get(kind, [id], { projectId, visibilities })).get(id);
      if (item === undefined) throw notFound(`${kind} ${id}`);
      noteResources(values, [`${projectId}/${COLLECTIONS[kind]}/${id}`]);
      return item;
    },
  };
}

function toPlace([key, id]: PagePosition): ContentPlace {
  return { key: key ?? null, id: String(id) };
}
