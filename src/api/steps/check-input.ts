import type { Interceptor } from "@connectrpc/connect";
import { checkFieldBehavior } from "../../domain/messages/field-behavior.ts";
import { checkInput } from "../../domain/messages/input-checks.ts";

/** Refuses requests with values that exceed the limits of their fields or that JSON cannot represent. */
export const valuesInterceptor: Interceptor = (next) => (request) => {
  if (!request.stream) checkInput(request.method.input, request.message);
  return next(request);
};

/** Refuses requests that violate the `google.api.field_behavior` of their fields. */
export const fieldBehaviorInterceptor: Interceptor = (next) => (request) => {
  if (!request.stream) checkFieldBehavior(request.method.input, request.message);
  return next(request);
};
