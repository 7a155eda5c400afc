import type { Interceptor } from "@connectrpc/connect";
import { checkInput } from "../domain/messages/input-checks.ts";

/** Refuses requests with values past the limits of their fields, or that no answer in JSON could show. */
export const requestValuesInterceptor: Interceptor = (next) => (request) => {
  if (!request.stream) checkInput(request.method.input, request.message);
  return next(request);
};
