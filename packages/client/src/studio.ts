import { createStudioServices, type StudioClient } from "./studio-services.ts";
import { createStudioTransport, type StudioOptions } from "./transport.ts";

export type * from "../../../gen/enum-names.ts";
export type * from "../../../gen/shapes.ts";
export * from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
// A deprecated kind of component has the name of the resource.
export {
  type BannerCollection,
  BannerCollectionSchema,
} from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
export * from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
// The webhook of an action is another message than the resource of this name.
export {
  type Webhook as ActionWebhook,
  WebhookSchema as ActionWebhookSchema,
} from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
export * from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
export { type Webhook, WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
export * from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_event_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
export {
  type BannerCollection as BannerCollectionComponent,
  BannerCollectionSchema as BannerCollectionComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
// Not `Record`, the name of a type of TypeScript.
export {
  type BilledTransaction,
  BilledTransactionSchema,
  type PlacedPageComponent,
  PlacedPageComponentSchema,
  type Record as TransferRecord,
  RecordSchema as TransferRecordSchema,
} from "../../../gen/svc/transfer/v1/record_pb.ts";
export * from "./studio-messages.ts";
export type * from "./studio-services.ts";
export { createStudioTransport, type StudioOptions };

/**
 * Creates a client. It keeps no connection open, so there is nothing to close. Throws a `TypeError` for an option that
 * is missing or of the wrong kind.
 */
export function createStudioClient(options: StudioOptions): StudioClient {
  return createStudioServices(createStudioTransport(options));
}
