import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { DescService } from "@bufbuild/protobuf";
import type { Pipeline } from "../../api/pipeline.ts";
import { writeMessage } from "../../protojson/status.ts";
import { acceptedEncodings } from "../cache/accept-encoding.ts";
import { toConditionalAnswer } from "../cache/conditional-get.ts";
import { COMPRESS_MIN_BYTES } from "../cache/encoded-answers.ts";
import { toAbort, toIncomingCall } from "../incoming-call.ts";
import { isPreflight, preflightHeaders } from "../server/cors.ts";
import type { Answer, Exchange } from "../server/exchange.ts";
import { bodyLimitOf } from "../server/limits.ts";
import { methodNotAllowed, unknownPath } from "../server/refusal.ts";
import { checkJsonType, readBody } from "../server/request-body.ts";
import { sendAnswer } from "../server/send.ts";
import { bindRequest } from "./bind-request.ts";
import { createRouter } from "./router.ts";

/** Answers the HTTP/JSON paths of `google.api.http`; throws the 404 of an unknown path. */
export type RestFace = (exchange: Exchange) => Promise<void>;

const compress = promisify(gzip);

/** Creates the face. Throws with the method's name for an invalid or ambiguous path rule. */
export function createRestFace(
  services: readonly DescService[],
  pipeline: Pick<Pipeline, "authenticate" | "call">,
): RestFace {
  const router = createRouter(services.flatMap(({ methods }) => methods));

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
    const json = writeMessage(method.output, response.message);
    return { status: 200, headers, body: Buffer.from(json) };
  }

  return async (exchange) => {
    sendAnswer(exchange, await shorten(exchange, await answer(exchange)));
  };
}

/** Shortens an answer: to a 304 if the caller already has it, by gzip if it is large. */
async function shorten(exchange: Exchange, answer: Answer): Promise<Answer> {
  // A handler's entity tag identifies a state rather than bytes, so its answer is never encoded.
  if (answer.headers.etag !== undefined) return toConditionalAnswer(exchange, answer);
  if (answer.body.length < COMPRESS_MIN_BYTES) return answer;
  const headers = { ...answer.headers, vary: "Accept-Encoding" };
  const encodings = acceptedEncodings(exchange.request.headers["accept-encoding"]);
  if (!encodings.includes("gzip")) return { ...answer, headers };
  return {
    ...answer,
    headers: { ...headers, "content-encoding": "gzip" },
    body: await compress(answer.body),
  };
}
