import {
  type DescMessage,
  type DescMethodUnary,
  fromJsonString,
  type JsonReadOptions,
  type Message,
  type Registry,
  toJsonString,
} from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Interceptor, ServiceImplSpec } from "@connectrpc/connect";
import { invokeUnaryImplementation } from "@connectrpc/connect/protocol";
import { parseTimeout, trailerMux } from "@connectrpc/connect/protocol-connect";
import type { Gate } from "../../call/authenticate.ts";
import { isUnforeseen } from "../../call/errors.ts";
import { divideFreshness, getFreshness } from "../../call/freshness.ts";
import { isManagement } from "../../domain/messages/interfaces.ts";
import { checkJsonSize } from "../../transcoding/json-size.ts";
import { createCallContext } from "../invoke.ts";
import { toErrorAnswer } from "../server/errors.ts";
import type { Answer, Exchange } from "../server/exchange.ts";
import { capConnectTimeout } from "../server/headers.ts";
import { HTTP_LIMITS } from "../server/limits.ts";
import { malformedRequest } from "../server/refusal.ts";
import { CALL_OVER } from "./connect-request.ts";
import { writeJson } from "./write-json.ts";

/** A Connect GET in JSON, which is answered here: the library takes many times as long. */
export interface ConnectRead {
  /** How long the caller waits, in milliseconds. */
  readonly timeout: number | undefined;
  /** Writes the message in its one form, so that `"10"` and `10` are one; nothing if it has none. */
  toForm(): string | undefined;
  /**
   * Calls the method, for as long as somebody waits for the answer; an error that was foreseen is an
   * answer too.
   */
  call(signal: AbortSignal): Promise<ReadAnswer>;
}

/** The answer to a read. */
export interface ReadAnswer {
  readonly answer: Answer;
  /** The longest time that this process may show it, in seconds; absent: until a change. */
  readonly memorySeconds?: number;
}

/** Opens the read that an exchange asks for; `undefined` for what the library has to answer. */
export type ReadOpener = (exchange: Exchange) => ConnectRead | undefined;

/** What reads need: the implementations, and the same gate and chain as every other face. */
export interface ReadOptions {
  readonly services: readonly ServiceImplSpec[];
  readonly gate: Gate;
  readonly interceptors: Interceptor[];
  /** The types that a `google.protobuf.Any` may hold in JSON. Default: none. */
  readonly registry?: Registry;
}

type UnarySpec = Extract<ServiceImplSpec["methods"][string], { kind: "unary" }>;

/** Creates the opener of the reads of some services: Connect GETs of `encoding=json`, in plain text. */
export function createReadOpener(options: ReadOptions): ReadOpener {
  const { services, gate, interceptors } = options;
  const json = { ...(options.registry && { registry: options.registry }) };
  const specs = new Map<string, UnarySpec>();
  for (const { service, methods } of services) {
    for (const spec of Object.values(methods)) {
      const isRead = spec.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
      if (spec.kind === "unary" && isRead)
        specs.set(`/${service.typeName}/${spec.method.name}`, spec);
    }
  }

  return (exchange) => {
    const spec = exchange.method === "GET" ? specs.get(exchange.path) : undefined;
    const text = spec && readText(exchange.query);
    if (spec === undefined || text === undefined) return undefined;
    const { method } = spec;
    const timeout = readTimeout(exchange);
    const readInput = once(() => parseMessage(method, text, json));

    return {
      timeout: timeout.timeoutMs,
      toForm() {
        try {
          return toJsonString(method.input, readInput(), json);
        } catch {
          return undefined;
        }
      },
      async call(signal) {
        const context = createCallContext(exchange, { protocolName: "connect", method, signal });
        try {
          await gate(context);
          if (timeout.error) throw malformed(timeout.error.rawMessage);
          const output = await invokeUnaryImplementation(spec, context, readInput(), interceptors);
          const { seconds } = getFreshness(context.values);
          return {
            answer: {
              status: 200,
              headers: Object.fromEntries(
                trailerMux(context.responseHeader, context.responseTrailer),
              ),
              body: toBytes(writeJson(method.output, output, json)),
            },
            ...(seconds !== undefined && { memorySeconds: divideFreshness(seconds).memory }),
          };
        } catch (cause) {
          if (isUnforeseen(cause)) throw cause;
          return { answer: toErrorAnswer(cause, "connect") };
        } finally {
          context.abort(CALL_OVER);
        }
      },
    };
  };
}

/**
 * Reads the message's text out of a query; `undefined` if it has another form than plain JSON. A byte
 * order mark is no part of it, as in the library.
 */
function readText(query: string): string | undefined {
  const parameters = new URLSearchParams(query);
  const isPlain = !parameters.has("base64") && !parameters.has("compression");
  if (!isPlain || parameters.get("encoding") !== "json") return undefined;
  return parameters.get("message")?.replace(/^\uFEFF/, "") ?? "";
}

function parseMessage(
  method: DescMethodUnary,
  text: string,
  json: Pick<JsonReadOptions, "registry">,
): Message {
  const ignoreUnknownFields = !isManagement(method.parent);
  checkJsonSize(Buffer.from(text));
  try {
    return fromJsonString<DescMessage>(method.input, text, { ...json, ignoreUnknownFields });
  } catch (cause) {
    throw malformed(cause instanceof Error ? cause.message : String(cause));
  }
}

/** Reads how long the caller waits. A header twice is joined by Node, and so malformed. */
function readTimeout({ request }: Exchange): ReturnType<typeof parseTimeout> {
  const value = request.headers["connect-timeout-ms"];
  const text = value === undefined ? null : String(value);
  return parseTimeout(capConnectTimeout(text), HTTP_LIMITS.deadline);
}

function malformed(message: string) {
  return malformedRequest("REQUEST_MALFORMED", message);
}

/** Encodes a text in memory of its own: small buffers share theirs, which would then be kept whole. */
function toBytes(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Makes a value when it is first asked for. What throws is tried again. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
