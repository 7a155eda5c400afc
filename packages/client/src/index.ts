export type { Client } from "./client.ts";
export { createDeliveryClient, createDeliveryTransport, type DeliveryClient } from "./delivery.ts";
export { date, price, text } from "./display.ts";
export { hasReason, MarqueeError, type Reason } from "./error.ts";
export type { Input } from "./input.ts";
export { type Json, toJson } from "./json.ts";
export * as kql from "./kql.ts";
export { createStudioClient, createStudioTransport, type StudioClient } from "./studio.ts";
export type { DeliveryOptions, StudioOptions } from "./transport.ts";
