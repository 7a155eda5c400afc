import type {
  GetPageComponentRequest,
  GetPageComponentResponse,
  GetPageRequest,
  GetPageResponse,
  ListAnnotationsRequest,
  ListAnnotationsResponse,
  ListCreativeWorksRequest,
  ListCreativeWorksResponse,
  ListEntitiesRequest,
  ListEntitiesResponse,
  ListEventsRequest,
  ListEventsResponse,
  ListPageComponentItemsRequest,
  ListPageComponentItemsResponse,
} from "../../../packages/client/src/delivery.ts";
import type { JsonOf } from "./json-of.ts";

/** The reads of delivery that a preview makes, by procedure. */
export interface Reads {
  "svc.cda.ott.page.v1.PageService/GetPage": [GetPageRequest, GetPageResponse];
  "svc.cda.ott.page_component.v2.PageComponentService/GetPageComponent": [
    GetPageComponentRequest,
    GetPageComponentResponse,
  ];
  "svc.cda.ott.page_component.v2.PageComponentService/ListPageComponentItems": [
    ListPageComponentItemsRequest,
    ListPageComponentItemsResponse,
  ];
  "svc.cda.cms.event.v1.EventService/ListEvents": [ListEventsRequest, ListEventsResponse];
  "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks": [
    ListCreativeWorksRequest,
    ListCreativeWorksResponse,
  ];
  "svc.cda.cms.entity.v1.EntityService/ListEntities": [ListEntitiesRequest, ListEntitiesResponse];
  "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations": [
    ListAnnotationsRequest,
    ListAnnotationsResponse,
  ];
}

/** The lists of content by the kind of their items, as names such as `BASE_TYPE_EVENT` end. */
export const CONTENT_LISTS: ReadonlyMap<string, ContentList> = new Map([
  ["EVENT", "svc.cda.cms.event.v1.EventService/ListEvents"],
  ["CREATIVE_WORK", "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks"],
  ["ENTITY", "svc.cda.cms.entity.v1.EntityService/ListEntities"],
]);

type ContentList = Extract<keyof Reads, `svc.cda.cms.${string}`>;

/** How a response came. */
export interface Transfer {
  /** From the call to the complete response. */
  readonly milliseconds: number;
  /** From the call to the first byte. */
  readonly waiting: number;
  readonly bytes: number;
  readonly cacheControl: string;
  readonly surrogateKeys: readonly string[];
}

/** A response of delivery. */
export interface ReadResponse<T> {
  readonly message: JsonOf<T>;
  /** Probable mistakes in the request. */
  readonly warnings: readonly { readonly message: string }[];
  readonly transfer: Transfer;
}

/** Reads delivery for the viewer of a preview, through its releases and at its time. */
export type Read = <P extends keyof Reads>(
  procedure: P,
  request: JsonOf<Reads[P][0]>,
) => Promise<ReadResponse<Reads[P][1]>>;
