import type { HandlerContext } from "@connectrpc/connect";
import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import { getProjectKey, getRequest } from "../../auth/caller.ts";
import { limitFreshness, markPersonal, noteResources } from "../../auth/freshness.ts";
import type { FindCountry } from "../../auth/viewer-place.ts";
import { blameField, notFound } from "../../domain/errors.ts";
import { parseKql, readsNow } from "../../domain/kql/index.ts";
import type { ContentKind } from "../../domain/order.ts";
import type { PagePosition, PageTokens } from "../../domain/page-token.ts";
import { resolvePageSize } from "../../domain/paging.ts";
import { readableVisibilities } from "../../domain/visibility.ts";
import type { ContentPlace } from "../../storage/delivery-store.ts";
import type { ContentLists } from "./content-list.ts";

const PAGE_SIZE = { standard: 20, maximum: 100 };

/** How long an answer may be shown whose filter reads the clock, in seconds (KQL, Decisions). */
export const NOW_SECONDS = 30;

/** The names of the collections in keys of resources. */
export const COLLECTIONS: Readonly<Record<ContentKind, string>> = {
  event: "events",
  creative_work: "creative_works",
  entity: "entities",
};

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
      const key = getProjectKey(values);
      const { now } = getRequest(values);
      const { pageToken, filter, search, order, excludeGeoblocked = false } = request;
      const limit = resolvePageSize(request.pageSize, PAGE_SIZE);
      const list = ["content", kind, filter, search, order, excludeGeoblocked];
      const binding = [...list, key.projectId, key.kind];
      if (readsNow(blameField("filter", () => parseKql(filter))))
        limitFreshness(values, NOW_SECONDS);
      if (excludeGeoblocked) markPersonal(values);
      const { items, next } = await lists.list(
        { kind, filter, search, order, excludeGeoblocked },
        { key, now, country: excludeGeoblocked ? findCountry(context) : undefined },
        limit,
        pageToken === "" ? undefined : toPlace(pageTokens.open(pageToken, binding)),
      );
      const collection = `${key.projectId}/${COLLECTIONS[kind]}`;
      const ids = items.map(({ item }) => `${collection}/${item.value?.id ?? ""}`);
      noteResources(values, [collection, ...ids]);
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
