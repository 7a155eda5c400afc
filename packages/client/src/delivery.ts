import { createDeliveryServices, type DeliveryClient } from "./delivery-services.ts";
import { createDeliveryTransport, type DeliveryOptions, isPublic } from "./transport.ts";
import { createWatch, type Watch } from "./watch.ts";

export type * from "../../../gen/enum-names.ts";
export type * from "../../../gen/shapes.ts";
export * from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
// A deprecated kind of component has the name of the resource.
export {
  type BannerCollection,
  BannerCollectionSchema,
} from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
export {
  type BannerCollection as BannerCollectionComponent,
  BannerCollectionSchema as BannerCollectionComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
export * from "./delivery-messages.ts";
export type * from "./delivery-services.ts";
export { type PreviewOptions, preview } from "./preview.ts";
export type { Watch, WatchOptions } from "./watch.ts";
export { createDeliveryTransport, type DeliveryOptions };

/** The services of the Delivery API, and their reads as watches. */
export interface WatchingClient extends DeliveryClient {
  /** Yields the response of a read, and again within about a second of each change, until the loop ends. */
  readonly watch: Watch<DeliveryClient>;
}

/**
 * Creates a client. It keeps no connection open, so there is nothing to close. Throws a `TypeError` for an option that
 * is missing or of the wrong kind.
 */
export function createDeliveryClient(options: DeliveryOptions): WatchingClient {
  const client = createDeliveryServices(createDeliveryTransport(options));
  const { key, url } = options;
  // With another key, a response also depends on the interceptors, such as the release of a preview.
  const name = isPublic(key) ? `${url} ${key}` : "";
  return { ...client, watch: createWatch(client, name) };
}
