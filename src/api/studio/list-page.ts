import type { Message } from "@bufbuild/protobuf";
import { blameField } from "../../domain/errors.ts";
import { parseKql } from "../../domain/kql/index.ts";
import { MANAGEMENT_PAGE_SIZE, type PageTokens, resolvePageSize } from "../../domain/paging.ts";
import type { DocumentPage, DocumentPlace, DocumentQuery } from "../../storage/document-store.ts";
import type { StudioCall } from "../steps/studio-call.ts";

/** The fields that all list requests share. */
export interface ListRequest extends Message {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly filter: string;
  readonly order?: string;
}

/** A page of a list. */
export interface ListAnswer<T> {
  readonly values: T[];
  readonly nextPageToken: string;
}

/** Returns one page of a list; its token is bound to the request and the caller. */
export async function readPage<T>(
  call: StudioCall,
  request: ListRequest,
  {
    pageTokens,
    binding,
  }: { readonly pageTokens: PageTokens; readonly binding: readonly unknown[] },
  read: (
    page: Pick<DocumentQuery, "after" | "budget" | "filter" | "limit">,
  ) => Promise<DocumentPage<T>>,
): Promise<ListAnswer<T>> {
  const { pageSize, pageToken, filter, order = "" } = request;
  const limit = resolvePageSize(pageSize, MANAGEMENT_PAGE_SIZE);
  const { id, organizationId } = call.account;
  const bound = [...binding, call.organizationId, organizationId, id, filter, order];
  const page = await read({
    limit,
    budget: call.budget,
    ...(filter.trim() !== "" && { filter: blameField("filter", () => parseKql(filter)) }),
    ...(pageToken !== "" && { after: toPlace(pageTokens.verify(pageToken, bound)) }),
  });
  return {
    values: [...page.values],
    nextPageToken: page.next ? pageTokens.sign([page.next.key, page.next.id], bound) : "",
  };
}

function toPlace(position: readonly unknown[]): DocumentPlace {
  const [key, id] = position;
  return { key: key as DocumentPlace["key"], id: String(id) };
}
