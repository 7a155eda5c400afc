import { setTimeout as delay } from "node:timers/promises";
import { create, type Message } from "@bufbuild/protobuf";
import { type Any, anyPack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { parseTimeout as parseConnectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc";
import type { CallResponse } from "../../src/api/pipeline.ts";
import { type IncomingCall, readHeader } from "../../src/api/steps/incoming-call.ts";
import type { Exchange } from "../../src/http/listener/exchange.ts";
import { HTTP_LIMITS } from "../../src/http/listener/limits.ts";
import {
  type ErrorDefinition,
  type Header,
  schemaOf,
  type UnaryDefinition,
  type UnaryRequest,
} from "./messages.ts";

/** Calls a unary method of the suite's service: each request defines its response. */
export async function callConformance(
  incoming: IncomingCall,
  _caller: unknown,
  request: Message,
): Promise<CallResponse> {
  const { method } = incoming;
  if (method.name === "Unimplemented") {
    throw new ConnectError(`${method.name} is not implemented`, Code.Unimplemented);
  }
  const definition = (request as UnaryRequest).responseDefinition;
  setHeaders(definition, incoming);
  await delay(definition?.responseDelayMs ?? 0);
  const info = describe(request, incoming);
  const response = definition?.response;
  if (response?.case === "error") throw toError(response.value, info);
  const data = response?.case === "responseData" ? { data: response.value } : {};
  const payload = { ...data, requestInfo: info };
  const message = create(method.output, { payload } as Record<string, unknown>);
  return { message, headers: incoming.responseHeaders };
}

function setHeaders(
  definition: UnaryDefinition | undefined,
  { responseHeaders, responseTrailers }: IncomingCall,
): void {
  setAll(responseHeaders, definition?.responseHeaders);
  setAll(responseTrailers, definition?.responseTrailers);
}

function setAll(target: Record<string, string>, headers: readonly Header[] = []): void {
  for (const { name, value } of headers) target[name.toLowerCase()] = value.join(", ");
}

/** Describes the call that the server has received. */
function describe(request: Message, { headers, request: info }: IncomingCall): Message {
  const timeoutMs = readTimeout(headers);
  const { method, query } = info as Exchange;
  const queryParams = [...new URLSearchParams(query)];
  return create(schemaOf("ConformancePayload.RequestInfo"), {
    requests: [pack(request)],
    requestHeaders: Object.keys(headers)
      .filter((name) => !name.startsWith(":"))
      .map((name) => toHeader([name, readHeader(headers, name) ?? ""])),
    ...(timeoutMs !== undefined && { timeoutMs: BigInt(Math.round(timeoutMs)) }),
    ...(method === "GET" && { connectGetInfo: { queryParams: queryParams.map(toHeader) } }),
  });
}

function readTimeout(headers: IncomingCall["headers"]): number | undefined {
  const connect = readHeader(headers, "connect-timeout-ms");
  if (connect !== undefined) return parseConnectTimeout(connect, HTTP_LIMITS.deadline).timeoutMs;
  return parseGrpcTimeout(readHeader(headers, "grpc-timeout") ?? null, HTTP_LIMITS.deadline)
    .timeoutMs;
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
