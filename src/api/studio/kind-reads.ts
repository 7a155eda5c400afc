import type { DescMessage, Message } from "@bufbuild/protobuf";
import { decideAccess, type ResourceRef } from "../../domain/access/permissions.ts";
import { blameField } from "../../domain/base/field-errors.ts";
import {
  type PageEnd,
  type PageFields,
  type PageTokens,
  STUDIO_PAGE_SIZE,
} from "../../domain/base/paging.ts";
import { listWarningsOf } from "../../domain/filters/filter-warnings.ts";
import {
  isReleasable,
  type Kind,
  type KindMessage,
  type KindName,
  kindOf,
  parseOrderOf,
} from "../../domain/kinds.ts";
import { parseKql } from "../../domain/kql/index.ts";
import type {
  DocumentPage,
  DocumentQuery,
  DocumentStore,
} from "../../storage/contract/document-store.ts";
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

/**
 * The standard reads of one kind of resource (AIP-131 and AIP-132), for its handlers to call. `get` sets the ETag of the
 * response.
 */
export class KindReads<Type extends KindName, T extends Message = KindMessage<Type>> {
  readonly kind: Type;
  /** Its description in the table of kinds. */
  readonly description: Kind;
  readonly #pageTokens: PageTokens;
  readonly #storeOf: (call: StudioCall) => Pick<DocumentStore<T>, "get" | "list">;

  constructor(
    kind: Type,
    pageTokens: PageTokens,
    storeOf: (call: StudioCall) => Pick<DocumentStore<T>, "get" | "list">,
  ) {
    this.kind = kind;
    this.description = kindOf(kind);
    this.#pageTokens = pageTokens;
    this.#storeOf = storeOf;
  }

  /** Returns a resource. */
  async get(call: StudioCall, id: string): Promise<T> {
    const stored = await this.#storeOf(call).get(id);
    call.setETag(stored);
    await announcePending(call, this.kind, id);
    return stored.value;
  }

  /** Returns a page of the resources of some parents, which `list` reads; default: from the store of the kind. */
  list(
    call: StudioCall,
    request: ListRequest,
    parentIds: readonly string[],
    list = (query: DocumentQuery) => this.#storeOf(call).list(query),
  ): Promise<ListPage<T>> {
    return readKindPage(call, this.kind, request, this.#pageTokens, parentIds, list);
  }
}

/** Returns one page of the resources of a kind with some parents, in the order of the request. */
export function readKindPage<T>(
  call: StudioCall,
  kind: KindName,
  request: ListRequest,
  pageTokens: PageTokens,
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

/** The maximum number of releases in the header `X-Pending-Releases`, and its maximum length in bytes. */
const MOST_PENDING = 20;
const MOST_PENDING_BYTES = 2_048;

/**
 * Lists the releases with a draft of a resource that the caller may see in the header `X-Pending-Releases`, the soonest
 * first, each with its time if it has one. `X-Pending-Releases-More` is the number of the others, if there are any.
 */
async function announcePending(call: StudioCall, kind: KindName, id: string): Promise<void> {
  if (!isReleasable(kind)) return;
  const { organizationId, resource } = call;
  const place = { organizationId, kind, id };
  const among = listVisibleReleases(call.held, resource);
  const { releaseItems } = call.store;
  const { releases, total } = await releaseItems.listPending(place, { limit: MOST_PENDING, among });
  let text = "";
  let left = total;
  for (const { id, applyTime } of releases) {
    // An imported id may have characters that a header cannot.
    const printed = encodeURIComponent(id);
    const name = applyTime === undefined ? printed : `${printed};${print(applyTime)}`;
    const longer = text === "" ? name : `${text}, ${name}`;
    if (longer.length > MOST_PENDING_BYTES) break;
    text = longer;
    left -= 1;
  }
  if (text !== "") call.setHeader("x-pending-releases", text);
  if (left > 0) call.setHeader("x-pending-releases-more", String(left));
}

/** Lists the releases of a resource's project that an account may get; undefined: all. */
function listVisibleReleases(
  held: StudioCall["held"],
  { organizationId, projectId = "" }: ResourceRef,
): readonly string[] | undefined {
  const mayGet = (id: string) => {
    const release = { kind: "release", id, organizationId, projectId };
    return decideAccess(held, release, "cms.releases.get") === "granted";
  };
  if (mayGet("")) return undefined;
  return held.flatMap(({ resource }) => (resource && mayGet(resource.id) ? resource.id : []));
}

function print(time: Date): string {
  return time.toISOString().replace(".000Z", "Z");
}
