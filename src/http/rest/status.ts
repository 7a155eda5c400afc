import {
  create,
  createRegistry,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { Code } from "../../../gen/google/rpc/code_pb.ts";
import { file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.ts";
import { toConnectError, toRpcCode } from "../../api/steps/errors.ts";
import { FULL_JSON } from "../../protojson/message-json.ts";
import type { HttpResponse } from "../listener/exchange.ts";
import { Refusal } from "../listener/refusal.ts";

/** Creates the response to anything thrown: a `google.rpc.Status` without the cause of an unforeseen error. */
export function toStatusResponse(cause: unknown): HttpResponse {
  const error = toConnectError(cause);
  const refusal = cause instanceof Refusal ? cause : undefined;
  return {
    status: refusal?.status ?? httpStatusOf(error.code),
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...Object.fromEntries(error.metadata),
      ...refusal?.headers,
    },
    body: Buffer.from(writeStatus(error)),
    code: toRpcCode(error.code),
  };
}

/**
 * Writes an error as the JSON of google.rpc.Status, always with `code`, `message` and `details`.
 * A detail of an unknown type is written as its bytes, in base64 under `value`.
 */
export function writeStatus(error: ConnectError): string {
  const details = error.details.map(writeDetail);
  return JSON.stringify({ code: error.code, message: error.rawMessage, details });
}

type Detail = ConnectError["details"][number];

const ERROR_DETAILS = createRegistry(file_google_rpc_error_details);

function writeDetail(detail: Detail): JsonObject {
  if ("desc" in detail) {
    return writeAny(detail.desc, create(detail.desc, detail.value));
  }
  const desc = ERROR_DETAILS.getMessage(detail.type);
  const message = desc && decode(desc, detail.value);
  return desc && message
    ? writeAny(desc, message)
    : { "@type": TYPE_PREFIX + detail.type, value: base64Encode(detail.value) };
}

const TYPE_PREFIX = "type.googleapis.com/";

function writeAny(desc: DescMessage, message: Message): JsonObject {
  const json = toJson(desc, message, FULL_JSON);
  const members = hasCustomJsonRepresentation(desc) ? { value: json } : (json as JsonObject);
  return { "@type": TYPE_PREFIX + desc.typeName, ...members };
}

function decode(desc: DescMessage, bytes: Uint8Array): Message | undefined {
  try {
    return fromBinary(desc, bytes);
  } catch {
    return undefined;
  }
}

/** Returns the HTTP status of an RPC code, 500 for an unknown code. */
export function httpStatusOf(code: number): number {
  return HTTP_STATUS.get(code) ?? 500;
}

const HTTP_STATUS: ReadonlyMap<number, number> = new Map([
  [Code.OK, 200],
  [Code.CANCELLED, 499],
  [Code.UNKNOWN, 500],
  [Code.INVALID_ARGUMENT, 400],
  [Code.DEADLINE_EXCEEDED, 504],
  [Code.NOT_FOUND, 404],
  [Code.ALREADY_EXISTS, 409],
  [Code.PERMISSION_DENIED, 403],
  [Code.RESOURCE_EXHAUSTED, 429],
  [Code.FAILED_PRECONDITION, 400],
  [Code.ABORTED, 409],
  [Code.OUT_OF_RANGE, 400],
  [Code.UNIMPLEMENTED, 501],
  [Code.INTERNAL, 500],
  [Code.UNAVAILABLE, 503],
  [Code.DATA_LOSS, 500],
  [Code.UNAUTHENTICATED, 401],
]);
