import type { Message } from "@bufbuild/protobuf";
import { blameField } from "../../domain/base/field-errors.ts";
import {
  type PageEnd,
  type PageFields,
  type PageTokens,
  STUDIO_PAGE_SIZE,
} from "../../domain/base/paging.ts";
import { listWarningsOf } from "../../domain/filters/filter-warnings.ts";
import { type KindName, parseOrderOf } from "../../domain/kinds.ts";
import { parseKql } from "../../domain/kql/index.ts";
import type { DocumentPage, DocumentQuery } from "../../storage/contract/document-store.ts";
import type { StudioCall } from "../steps/studio-call.ts";

/** The fields that all list requests share. */
export interface ListRequest extends Message, PageFields {
  readonly filter: string;
  readonly order?: string;
}

/** A page of a list. */
export interface ListPage<T> extends PageEnd {
  readonly values: T[];
}

/** Returns one page of the resources of a kind with some parents, in the order of the request. */
export function readKindPage<T>(
  call: StudioCall,
  request: ListRequest,
  pageTokens: PageTokens,
  kind: KindName,
  parentIds: readonly string[],
  list: (query: DocumentQuery) => Promise<DocumentPage<T>>,
): Promise<ListPage<T>> {
  const order = parseOrderOf(kind, request.order ?? "");
  return readPage(call, request, pageTokens, [kind, parentIds], (page) => {
    if (page.filter !== undefined) call.warn(...listWarningsOf(page.filter, "filter", kind));
    return list({ ...page, parentIds, order, now: call.now });
  });
}

/** Returns one page of a list; its token is bound to the request and the caller. */
export async function readPage<T>(
  call: StudioCall,
  request: ListRequest,
  pageTokens: PageTokens,
  binding: readonly unknown[],
  read: (
    page: Pick<DocumentQuery, "after" | "budget" | "filter" | "limit">,
  ) => Promise<DocumentPage<T>>,
): Promise<ListPage<T>> {
  const { filter, order = "" } = request;
  const { id, organizationId } = call.account;
  const bound = [...binding, call.organizationId, organizationId, id, filter, order];
  const page = pageTokens.open(request, STUDIO_PAGE_SIZE, bound);
  const { values, next } = await read({
    limit: page.limit,
    budget: call.budget,
    ...(filter.trim() !== "" && { filter: blameField("filter", () => parseKql(filter)) }),
    ...page.readStart(([key = null, id]) => ({ key, id: String(id) })),
  });
  return { values: [...values], ...page.end(next && [next.key, next.id]) };
}
