import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { Code, CodeSchema } from "../../gen/google/rpc/code_pb.ts";
import type { RequestTracer } from "../http/dispatcher.ts";
import { type RequestSeries, UNKNOWN_METHOD } from "../http/listener/request-metrics.ts";
import type { Send } from "../outbox/send.ts";
import type { ConnectionPool } from "../storage/contract/connection-pool.ts";

/** The traces of this process. */
export interface Tracing extends RequestTracer {
  /** Adds an event to the current span for each statement of a pool. */
  watch(pool: ConnectionPool): void;
  /** Sends within a span that continues the trace of the request's headers. */
  traceSend(send: Send): Send;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}

/** Maximum number of characters of a statement in an event. */
const MOST_TEXT = 1_000;

/** The codes of server errors (semantic conventions of RPC). */
const SERVER_ERRORS: readonly Code[] = [
  Code.UNKNOWN,
  Code.DEADLINE_EXCEEDED,
  Code.UNIMPLEMENTED,
  Code.INTERNAL,
  Code.UNAVAILABLE,
  Code.DATA_LOSS,
];

/** Creates the traces over the SDK that has been started. */
export function createTracing(close: () => Promise<void>): Tracing {
  const tracer = trace.getTracer("marquee");
  return {
    trace(exchange, handle) {
      const { request, response, shownPath, requestId } = exchange;
      const parent = propagation.extract(context.active(), request.headers);
      const span = tracer.startSpan(
        request.method ?? "",
        {
          kind: SpanKind.SERVER,
          attributes: {
            "http.request.method": request.method ?? "",
            "url.path": shownPath,
            "marquee.request_id": requestId,
          },
        },
        parent,
      );
      const spanContext = trace.setSpan(parent, span);
      propagation.inject(spanContext, request.headers);
      response.once("close", () => {
        const { series, code, isCached } = exchange;
        if (series !== undefined) describe(span, series);
        if (isCached !== undefined) span.setAttribute("marquee.cache", isCached ? "hit" : "miss");
        span.setAttribute("http.response.status_code", response.statusCode);
        const isCut = !response.writableFinished && code === Code.OK;
        conclude(span, isCut ? Code.CANCELLED : code);
        span.end();
      });
      context.with(spanContext, handle);
    },

    watch(pool) {
      pool.onStatement = (text, ms) => {
        trace.getActiveSpan()?.addEvent("db.statement", {
          "db.query.text": text.slice(0, MOST_TEXT),
          "db.client.connection.pool.name": pool.name,
          "marquee.duration_ms": ms,
        });
      };
    },

    traceSend: (send) => (request) => {
      const parent = propagation.extract(context.active(), request.headers);
      const { host } = new URL(request.url);
      const options = {
        kind: SpanKind.CLIENT,
        attributes: { "http.request.method": "POST", "server.address": host },
      };
      return tracer.startActiveSpan("POST", options, parent, async (span) => {
        const headers = { ...request.headers };
        propagation.inject(context.active(), headers);
        const outcome = await send({ ...request, headers });
        if (outcome.kind === "responded") {
          span.setAttribute("http.response.status_code", outcome.status);
        } else {
          span.setAttribute("error.type", outcome.reason);
          span.setStatus({ code: SpanStatusCode.ERROR, message: outcome.detail });
        }
        span.end();
        return outcome;
      });
    },

    close,
  };
}

/** Names a span by its method, following the semantic conventions of RPC; an endpoint is named by its path. */
function describe(span: Span, { protocol, method }: RequestSeries): void {
  if (method === UNKNOWN_METHOD) return;
  span.updateName(method);
  if (protocol === "endpoint") {
    span.setAttribute("http.route", method);
    return;
  }
  const [service = "", name = ""] = method.split("/");
  if (protocol !== "rest") {
    span.setAttribute("rpc.system", protocol === "connect" ? "connect_rpc" : "grpc");
  }
  span.setAttributes({ "rpc.service": service, "rpc.method": name });
}

function conclude(span: Span, code: Code): void {
  const name = CodeSchema.value[code]?.name ?? "UNKNOWN";
  span.setAttributes({
    "rpc.grpc.status_code": code,
    ...(code !== Code.OK && { "error.type": name }),
  });
  if (SERVER_ERRORS.includes(code)) span.setStatus({ code: SpanStatusCode.ERROR, message: name });
}
