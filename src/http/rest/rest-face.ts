import { type DescService, toJsonString } from "@bufbuild/protobuf";
import type { Pipeline } from "../../api/pipeline.ts";
import { FULL_JSON, toMessage } from "../../protojson/message-json.ts";
import { toAbort, toIncomingCall } from "../incoming-call.ts";
import { acceptedEncodings, COMPRESS_MIN_BYTES, compress } from "../listener/content-coding.ts";
import { isPreflight, preflightHeaders } from "../listener/cors.ts";
import type { Answer, Exchange } from "../listener/exchange.ts";
import { bodyLimitOf } from "../listener/limits.ts";
import { methodNotAllowed, unknownPath } from "../listener/refusal.ts";
import { checkJsonType, readBody } from "../listener/request-body.ts";
import { bindRequest } from "./bind-request.ts";
import { Router } from "./router.ts";

/** Answers the HTTP/JSON paths of `google.api.http`; throws the 404 of an unknown path. */
export type RestFace = (exchange: Exchange) => Promise<Answer>;

/** Creates the face. Throws with the method's name for an invalid or ambiguous path rule. */
export function createRestFace(
  services: readonly DescService[],
  pipeline: Pick<Pipeline, "authenticate" | "call">,
): RestFace {
  const router = new Router(services.flatMap(({ methods }) => methods));

  async function answer(exchange: Exchange): Promise<Answer> {
    const route = router.route(exchange.method, exchange.path);
    if (route.kind === "not_found") throw unknownPath();
    if (route.kind === "method_not_allowed") {
      if (isPreflight(exchange) && exchange.corsHeaders["access-control-allow-origin"]) {
        return { status: 204, headers: preflightHeaders(route.allow), body: new Uint8Array() };
      }
      throw methodNotAllowed(route.allow);
    }
    const { binding, variables } = route;
    const { method } = binding;
    exchange.outcome.setMethod("rest", `${method.parent.typeName}/${method.name}`);

    const { request, now } = exchange;
    const caller = await pipeline.authenticate(method, request.headers, now);
    if (binding.body.kind !== "none") checkJsonType(request);
    const body = await readBody(exchange, bodyLimitOf(method.parent));
    const message = bindRequest(binding, variables, exchange.query, body);
    const { signal } = toAbort(exchange);
    const incoming = toIncomingCall(exchange, method, signal);
    const response = await pipeline.call(incoming, caller, message);
    const headers = { "content-type": "application/json", ...response.headers };
    const json = toJsonString(method.output, toMessage(response.message), FULL_JSON);
    return { status: 200, headers, body: Buffer.from(json) };
  }

  return async (exchange) => shorten(exchange, await answer(exchange));
}

/** Compresses a large response with gzip. */
async function shorten({ request }: Exchange, answer: Answer): Promise<Answer> {
  // A handler's entity tag identifies a state rather than bytes, so its response is never encoded.
  if (answer.headers.etag !== undefined || answer.body.length < COMPRESS_MIN_BYTES) return answer;
  const headers = { ...answer.headers, vary: "Accept-Encoding" };
  const encodings = acceptedEncodings(request.headers["accept-encoding"]);
  if (!encodings.includes("gzip")) return { ...answer, headers };
  return {
    ...answer,
    headers: { ...headers, "content-encoding": "gzip" },
    body: await compress(answer.body, "gzip"),
  };
}
