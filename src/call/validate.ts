import type { Interceptor } from "@connectrpc/connect";
import { checkFieldBehavior } from "../domain/messages/field-behavior.ts";

/** Holds every request to the `google.api.field_behavior` of its fields. */
export const inputRulesInterceptor: Interceptor = (next) => (request) => {
  if (!request.stream) checkFieldBehavior(request.method.input, request.message);
  return next(request);
};
