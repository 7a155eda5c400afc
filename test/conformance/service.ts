import { setTimeout as delay } from "node:timers/promises";
import { create, type DescService, type Message } from "@bufbuild/protobuf";
import { type Any, anyPack } from "@bufbuild/protobuf/wkt";
import {
  type Code,
  ConnectError,
  createServiceImplSpec,
  type HandlerContext,
  type ServiceImpl,
  type ServiceImplSpec,
} from "@connectrpc/connect";
import {
  conformanceService,
  type ErrorDefinition,
  type Header,
  type StreamDefinition,
  type StreamRequest,
  schemaOf,
  type UnaryDefinition,
  type UnaryRequest,
} from "./messages.ts";

/** Creates the suite's service: each request says how it wants to be answered. */
export function createConformanceService(): ServiceImplSpec {
  const implementation = {
    async unary(request: UnaryRequest, context: HandlerContext) {
      return answerOnce(request.responseDefinition, [request], context);
    },
    async idempotentUnary(request: UnaryRequest, context: HandlerContext) {
      return answerOnce(request.responseDefinition, [request], context);
    },
    async clientStream(requests: AsyncIterable<UnaryRequest>, context: HandlerContext) {
      const all: UnaryRequest[] = [];
      for await (const request of requests) all.push(request);
      return answerOnce(all[0]?.responseDefinition, all, context);
    },
    async *serverStream(request: StreamRequest, context: HandlerContext) {
      const answers = new Answers(request.responseDefinition, context);
      yield* answers.rest([request]);
    },
    async *bidiStream(requests: AsyncIterable<StreamRequest>, context: HandlerContext) {
      let answers: Answers | undefined;
      let unanswered: StreamRequest[] = [];
      let fullDuplex = false;
      for await (const request of requests) {
        unanswered.push(request);
        if (answers === undefined) {
          answers = new Answers(request.responseDefinition, context);
          fullDuplex = request.fullDuplex === true;
        }
        if (!fullDuplex) continue;
        if (answers.isOver) break;
        yield await answers.next(unanswered);
        unanswered = [];
      }
      if (answers !== undefined) yield* answers.rest(unanswered);
    },
  };
  return createServiceImplSpec(
    conformanceService(),
    implementation as unknown as Partial<ServiceImpl<DescService>>,
  );
}

/** The answers of a stream, in their order. */
class Answers {
  readonly #definition: StreamDefinition | undefined;
  readonly #context: HandlerContext;
  #sent = 0;

  /** Also puts the headers and trailers that the definition asks for onto the answer. */
  constructor(definition: StreamDefinition | undefined, context: HandlerContext) {
    this.#definition = definition;
    this.#context = context;
    setHeaders(definition, context);
  }

  get isOver(): boolean {
    return this.#sent >= (this.#definition?.responseData.length ?? 0);
  }

  /** Makes the next answer; the first one tells of the whole call, later ones of their requests. */
  async next(requests: readonly Message[]): Promise<unknown> {
    await delay(this.#definition?.responseDelayMs ?? 0);
    const isFirst = this.#sent === 0;
    const data = this.#definition?.responseData[this.#sent];
    this.#sent += 1;
    if (isFirst) return toResponse(data, describe(requests, this.#context));
    return toResponse(data, requests.length > 0 ? describe(requests) : undefined);
  }

  /** Makes all that are left, then fails if the definition says so. */
  async *rest(requests: readonly Message[]): AsyncGenerator<unknown> {
    let unanswered = requests;
    while (!this.isOver) {
      yield await this.next(unanswered);
      unanswered = [];
    }
    const error = this.#definition?.error;
    if (error === undefined) return;
    const info = this.#sent === 0 ? describe(requests, this.#context) : undefined;
    throw toError(error, info);
  }
}

async function answerOnce(
  definition: UnaryDefinition | undefined,
  requests: readonly Message[],
  context: HandlerContext,
): Promise<unknown> {
  setHeaders(definition, context);
  await delay(definition?.responseDelayMs ?? 0);
  const info = describe(requests, context);
  const response = definition?.response;
  if (response?.case === "error") throw toError(response.value, info);
  return toResponse(response?.case === "responseData" ? response.value : undefined, info);
}

function setHeaders(
  definition: UnaryDefinition | StreamDefinition | undefined,
  { responseHeader, responseTrailer }: HandlerContext,
): void {
  appendAll(responseHeader, definition?.responseHeaders);
  appendAll(responseTrailer, definition?.responseTrailers);
}

function appendAll(target: Headers, headers: readonly Header[] = []): void {
  for (const { name, value } of headers) for (const it of value) target.append(name, it);
}

/** The form that all responses of the service share. */
function toResponse(data: Uint8Array | undefined, requestInfo: Message | undefined): unknown {
  return {
    payload: {
      ...(data !== undefined && { data }),
      ...(requestInfo !== undefined && { requestInfo }),
    },
  };
}

/** Writes down what the server has seen of a call: without a context, its messages only. */
function describe(requests: readonly Message[], context?: HandlerContext): Message {
  const schema = schemaOf("ConformancePayload.RequestInfo");
  const all = requests.map(pack);
  if (context === undefined) return create(schema, { requests: all });
  const { requestHeader, requestMethod, url } = context;
  const timeoutMs = context.timeoutMs();
  const queryParams = [...new URL(url, "http://localhost").searchParams];
  return create(schema, {
    requests: all,
    requestHeaders: [...requestHeader].map(toHeader),
    ...(timeoutMs !== undefined && { timeoutMs: BigInt(Math.round(timeoutMs)) }),
    ...(requestMethod === "GET" && { connectGetInfo: { queryParams: queryParams.map(toHeader) } }),
  });
}

function toHeader([name, value]: [string, string]): Header {
  return { name, value: [value] };
}

function pack(message: Message): Any {
  return anyPack(schemaOf(message.$typeName.split(".").at(-1) ?? ""), message);
}

function toError({ code, message, details }: ErrorDefinition, info: Message | undefined) {
  const error = new ConnectError(message ?? "", code as Code);
  // Details that came over the wire are sent on as they are.
  error.details = details.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf("/") + 1),
    value,
  }));
  if (info !== undefined) {
    error.details.push({ desc: schemaOf("ConformancePayload.RequestInfo"), value: info as never });
  }
  return error;
}
