export { createDeliveryClient, createDeliveryTransport, type DeliveryClient } from "./delivery.ts";
export { hasReason, MarqueeError } from "./error.ts";
export * as kql from "./kql.ts";
export { createStudioClient, createStudioTransport, type StudioClient } from "./studio.ts";
export type { DeliveryOptions, StudioOptions } from "./transport.ts";
