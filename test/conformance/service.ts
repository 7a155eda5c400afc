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
  schemaOf,
  type UnaryDefinition,
  type UnaryRequest,
} from "./messages.ts";

/** Creates the suite's service: each request says how it wants to be answered. */
export function createConformanceService(): ServiceImplSpec {
  const implementation = {
    async unary(request: UnaryRequest, context: HandlerContext) {
      return answerOnce(request, context);
    },
    async idempotentUnary(request: UnaryRequest, context: HandlerContext) {
      return answerOnce(request, context);
    },
  };
  return createServiceImplSpec(
    conformanceService(),
    implementation as unknown as Partial<ServiceImpl<DescService>>,
  );
}

async function answerOnce(request: UnaryRequest, context: HandlerContext): Promise<unknown> {
  const { responseDefinition: definition } = request;
  setHeaders(definition, context);
  await delay(definition?.responseDelayMs ?? 0);
  const info = describe(request, context);
  const response = definition?.response;
  if (response?.case === "error") throw toError(response.value, info);
  return toResponse(response?.case === "responseData" ? response.value : undefined, info);
}

function setHeaders(
  definition: UnaryDefinition | undefined,
  { responseHeader, responseTrailer }: HandlerContext,
): void {
  appendAll(responseHeader, definition?.responseHeaders);
  appendAll(responseTrailer, definition?.responseTrailers);
}

function appendAll(target: Headers, headers: readonly Header[] = []): void {
  for (const { name, value } of headers) for (const it of value) target.append(name, it);
}

/** Makes a response of the service. */
function toResponse(data: Uint8Array | undefined, requestInfo: Message): unknown {
  return {
    payload: {
      ...(data !== undefined && { data }),
      requestInfo,
    },
  };
}

/** Writes down what the server has seen of a call. */
function describe(request: UnaryRequest, context: HandlerContext): Message {
  const { requestHeader, requestMethod, url } = context;
  const timeoutMs = context.timeoutMs();
  const queryParams = [...new URL(url, "http://localhost").searchParams];
  return create(schemaOf("ConformancePayload.RequestInfo"), {
    requests: [pack(request)],
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

function toError({ code, message, details }: ErrorDefinition, info: Message) {
  const error = new ConnectError(message ?? "", code as Code);
  // Details that came over the wire are sent on as they are.
  error.details = details.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf("/") + 1),
    value,
  }));
  error.details.push({ desc: schemaOf("ConformancePayload.RequestInfo"), value: info as never });
  return error;
}
