import type { JsonObject } from "@bufbuild/protobuf";
import { toSnake } from "../drawing/text.ts";
import { call, preview } from "./api.ts";
import type { Kind } from "./kinds.ts";

/** The items of a page of a list. */
const PAGE_SIZE = 50;

/** A page of a list. */
export interface ListedPage {
  readonly items: readonly JsonObject[];
  readonly nextPageToken: string;
}

/** The arguments of a list. */
export interface ListQuery {
  readonly kind: Kind;
  readonly projectId: string;
  readonly release?: string;
  /** KQL. */
  readonly filter?: string;
  /** Words; only kinds of the Delivery API have a search. */
  readonly search?: string;
  /** Such as `update_time desc`. */
  readonly order?: string;
  readonly pageToken?: string;
  readonly pageSize?: number;
}

/**
 * Lists resources of a kind. Kinds of the Delivery API are read as previews of it, because these search and show drafts;
 * the others by the Studio API. Pages and offers have no filter in the Delivery API: a filter finds their current versions.
 */
export async function listItems(
  { kind, projectId, release = "", filter = "", search = "", ...page }: ListQuery,
  listPath: string,
  signal?: AbortSignal,
): Promise<ListedPage> {
  const { pageToken = "", pageSize = PAGE_SIZE, order = "" } = page;
  if (kind.delivered !== undefined && (kind.hasPictures || filter === "")) {
    const message = {
      ...{ pageSize, pageToken },
      ...(filter !== "" && { filter }),
      ...(search !== "" && { search }),
      ...(order !== "" && { order }),
    };
    const { body } = await preview(kind.delivered, message, { projectId, release, signal });
    return {
      items: itemsOf(body).map(toSnakeNames),
      nextPageToken: String(body.nextPageToken ?? ""),
    };
  }
  const query = {
    project_id: projectId,
    page_size: pageSize,
    page_token: pageToken,
    filter,
    order,
  };
  const { body } = await call({ path: listPath, query, signal });
  return { items: itemsOf(body), nextPageToken: String(body.next_page_token ?? "") };
}

function itemsOf(body: JsonObject): readonly JsonObject[] {
  return (Object.values(body).find(Array.isArray) ?? []) as JsonObject[];
}

/** Writes the names of the root as the Studio API does, such as `start_time`. */
function toSnakeNames(item: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [toSnake(name), value]));
}
