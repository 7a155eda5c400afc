import type { DescService } from "@bufbuild/protobuf";
import type { Pipeline } from "../../api/pipeline.ts";
import { organizationOf } from "../../api/steps/incoming-call.ts";
import { FULL_JSON } from "../../domain/base/json.ts";
import { MessageJson } from "../../protojson/message-json.ts";
import { writeJson } from "../../protojson/write-json.ts";
import { COMPRESS_MIN_BYTES, chooseCoding, compress } from "../listener/content-coding.ts";
import { allowMethods, isPreflight } from "../listener/cors.ts";
import type { Exchange, HttpResponse } from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { httpError } from "../listener/rejection.ts";
import { checkJsonType, readBody } from "../listener/request-body.ts";
import { runInTurns } from "../listener/run-in-turns.ts";
import { bindRequest } from "./bind-request.ts";
import { Router } from "./router.ts";

/** Serves the HTTP/JSON paths of `google.api.http`. */
export class RestInterface {
  readonly #router: Router;
  readonly #pipeline: Pick<Pipeline, "authenticate" | "begin" | "call">;

  /** Throws with the method's name for an invalid or ambiguous path rule. */
  constructor(
    services: readonly DescService[],
    pipeline: Pick<Pipeline, "authenticate" | "begin" | "call">,
  ) {
    this.#router = new Router(services.flatMap(({ methods }) => methods));
    this.#pipeline = pipeline;
  }

  /** Calls the method of a path; throws the 404 of an unknown path, and the 405 of another HTTP method. */
  async call(exchange: Exchange): Promise<HttpResponse> {
    const route = this.#router.route(exchange.method, exchange.path);
    if (route.kind === "not_found") {
      throw httpError.unknownPath(exchange, this.#router.suggest(exchange.path));
    }
    if (route.kind === "method_not_allowed") {
      if (isPreflight(exchange) && exchange.corsHeaders["access-control-allow-origin"]) {
        return allowMethods(route.allow);
      }
      throw httpError.methodNotAllowed(route.allow, this.#router.listVerbs(exchange.path));
    }
    const { binding, variables } = route;
    const { method } = binding;
    exchange.setMethod("rest", `${method.parent.typeName}/${method.name}`);

    const { request, now, signal } = exchange;
    const { headers } = request;
    const caller = await this.#pipeline.authenticate(method, headers, now);
    if (binding.body.kind !== "none") checkJsonType(request);
    const body = await readBody(exchange, HTTP_LIMITS.studioBody);
    exchange.load.admit(exchange, organizationOf(caller), body.length);
    const turn = this.#pipeline.begin(caller);
    if (turn !== undefined) await turn;
    const message = bindRequest(binding, variables, exchange.query, body);
    const sent = { responseHeaders: {}, responseTrailers: {} };
    const call = { method, request: exchange, headers, signal, ...sent };
    const response = await this.#pipeline.call(call, caller, message);
    if (response.message instanceof MessageJson) throw new Error(`${method.name} is not of Studio`);
    return shorten(exchange, {
      status: 200,
      headers: { "content-type": "application/json", ...response.headers },
      body: await runInTurns(writeJson(method.output, response.message, FULL_JSON)),
    });
  }
}

async function shorten({ request }: Exchange, response: HttpResponse): Promise<HttpResponse> {
  // A handler's ETag identifies a state rather than bytes, so its response is never encoded.
  if (response.headers.etag !== undefined || response.body.length < COMPRESS_MIN_BYTES)
    return response;
  const headers = { ...response.headers, vary: "Accept-Encoding" };
  const coding = chooseCoding(request.headers["accept-encoding"], ["gzip", "identity"]);
  if (coding !== "gzip") return { ...response, headers };
  return {
    ...response,
    headers: { ...headers, "content-encoding": "gzip" },
    body: await compress(response.body, "gzip"),
  };
}
