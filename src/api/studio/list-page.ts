import type { DescMessage, Message } from "@bufbuild/protobuf";
import { blameField } from "../../domain/base/field-errors.ts";
import {
  type PageEnd,
  type PageFields,
  type PageTokens,
  STUDIO_PAGE_SIZE,
} from "../../domain/base/paging.ts";
import { listWarningsOf } from "../../domain/filters/filter-warnings.ts";
import { type KindName, kindOf, parseOrderOf } from "../../domain/kinds.ts";
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
  const { schema } = kindOf(kind);
  return readPage(call, request, pageTokens, [kind, parentIds], schema, (page) =>
    list({ ...page, parentIds, order, now: call.now }),
  );
}

/** Returns one page of a list of messages; its token is bound to the request and the caller. Warns about its filter. */
export async function readPage<T>(
  call: StudioCall,
  request: ListRequest,
  pageTokens: PageTokens,
  binding: readonly unknown[],
  schema: DescMessage,
  read: (
    page: Pick<DocumentQuery, "after" | "budget" | "filter" | "limit">,
  ) => Promise<DocumentPage<T>>,
): Promise<ListPage<T>> {
  const { filter, order = "" } = request;
  const { id, organizationId } = call.account;
  const bound = [...binding, call.organizationId, organizationId, id, filter, order];
  const page = pageTokens.open(request, STUDIO_PAGE_SIZE, bound);
  const node = filter.trim() === "" ? undefined : blameField("filter", () => parseKql(filter));
  if (node !== undefined) call.warn(...listWarningsOf(node, "filter", schema));
  const { values, next } = await read({
    limit: page.limit,
    budget: call.budget,
    ...(node && { filter: node }),
    ...page.readPlace(),
  });
  return { values: [...values], ...page.endAt(next) };
}
