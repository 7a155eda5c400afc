import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import { toConnectError, toRpcCode } from "../../api/steps/errors.ts";
import { FULL_JSON } from "../../domain/base/json.ts";
import type { HttpResponse } from "../listener/exchange.ts";
import { Rejection } from "../listener/rejection.ts";

/**
 * Creates the response to anything thrown, without the cause of an unforeseen error: a `google.rpc.Status`, or what `write`
 * returns, after other headers.
 */
export function toStatusResponse(
  cause: unknown,
  write: (error: ConnectError) => string | Uint8Array = writeStatus,
  headers: HttpResponse["headers"] = {},
): HttpResponse {
  const error = toConnectError(cause);
  const rejection = cause instanceof Rejection ? cause : undefined;
  return {
    status: rejection?.status ?? httpStatusOf(error.code),
    headers: {
      ...headers,
      "content-type": "application/json",
      "cache-control": "no-store",
      ...Object.fromEntries(error.metadata),
      ...rejection?.headers,
    },
    body: Buffer.from(write(error)),
    code: toRpcCode(error.code),
  };
}

/** Writes an error as the JSON of google.rpc.Status, on one line. */
export function writeStatus({ code, rawMessage: message, details }: ConnectError): string {
  return `${JSON.stringify({ code, message, details: details.flatMap(writeDetail) })}\n`;
}

function writeDetail(detail: ConnectError["details"][number]): JsonObject[] {
  // The errors of the service have no details that came over the wire.
  if (!("desc" in detail)) return [];
  const json = toJson(detail.desc, create(detail.desc, detail.value), FULL_JSON) as JsonObject;
  return [{ "@type": `type.googleapis.com/${detail.desc.typeName}`, ...json }];
}

/** Returns the HTTP status of an RPC code, 500 for an unknown code. */
export function httpStatusOf(code: number): number {
  return codeToHttpStatus(code);
}
