import type { DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import {
  errorFromJsonBytes,
  parseTimeout as parseConnectTimeout,
} from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc";
import { findPart } from "../../call/context.ts";
import { toConnectError, toRpcCode } from "../../call/errors.ts";
import { DomainError } from "../../domain/errors.ts";
import { isManagement } from "../../domain/messages/interfaces.ts";
import { checkBinarySize } from "../../transcoding/binary-size.ts";
import { checkJsonSize } from "../../transcoding/json-size.ts";
import { toCanonicalJson } from "../../transcoding/strict-json.ts";
import { deadlinePassed, withinTime } from "../server/deadline.ts";
import { toErrorAnswer } from "../server/errors.ts";
import type { Answer, Exchange } from "../server/exchange.ts";
import { HTTP_LIMITS } from "../server/limits.ts";
import { bodyTooLarge, malformedRequest } from "../server/refusal.ts";
import { decompress, isSupported, readBody, readRawBody } from "../server/request-body.ts";
import { toConnectRequest } from "./connect-request.ts";
import {
  ENVELOPE_PREFIX,
  EnvelopeSplitter,
  isCompressedMessage,
  isCompressedStream,
  toEnvelope,
} from "./envelopes.ts";
import { findGrpcError, type GrpcType, readGrpcType } from "./grpc.ts";

/**
 * Calls a unary method in any of the three protocols and returns the whole answer, within the caller's
 * deadline even if the handler ignores it. The limit is that of a message, in bytes.
 */
export async function callUnary(
  handler: UniversalHandler,
  exchange: Exchange,
  limit: number,
): Promise<Answer> {
  const type = exchange.method === "GET" ? undefined : readGrpcType(exchange.request);
  const body = new UnaryBody(async () => {
    const { input } = handler.method;
    if (type !== undefined) return readEnvelope(exchange, type, input, limit);
    const bytes = await readBody(exchange, limit, 501);
    if (isJson(exchange) && isManagement(handler.service)) return toCanonicalJson(input, bytes);
    if (isJson(exchange)) checkJsonSize(bytes);
    else checkBinarySize(input, bytes);
    return bytes;
  });
  const request = toConnectRequest(exchange, body);
  // A GET has no body, whatever its headers declare.
  if (exchange.method === "GET") request.header.delete("content-type");
  // The library receives every body decompressed.
  if (type === undefined) {
    request.header.delete("content-encoding");
    request.header.delete("content-length");
  } else if (isSupported(request.header.get("grpc-encoding"))) {
    request.header.delete("grpc-encoding");
  }
  const answer = await withinTime(
    readTimeout(request.header, type),
    handler(request).then(collect),
  ).catch((cause: unknown) => toErrorAnswer(cause, type ?? "connect"));
  const isEntered = findPart(request.contextValues, "isEntered") === true;
  const fault = body.refusal ?? (isEntered ? undefined : findFault(answer, type, limit));
  return fault === undefined ? answer : toErrorAnswer(fault, type ?? "connect");
}

/**
 * Reads the body of a gRPC call, its message decompressed; a malformed envelope and a message of too many
 * values are refused. The library refuses unknown encodings and data after the message.
 */
async function readEnvelope(
  exchange: Exchange,
  type: GrpcType,
  schema: DescMessage,
  limit: number,
): Promise<Uint8Array> {
  const encoding = exchange.request.headers["grpc-encoding"];
  const bytes = await readRawBody(exchange, limit + ENVELOPE_PREFIX);
  const splitter = new EnvelopeSplitter({
    limit,
    isCompressed: isCompressedStream(exchange.request),
  });
  splitter.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const envelope = splitter.take();
  if (envelope === undefined) return bytes;
  const isCompressed = isCompressedMessage(envelope);
  if (isCompressed && !isSupported(encoding)) return bytes;
  const sent = envelope.subarray(ENVELOPE_PREFIX);
  const message =
    isCompressed && isSupported(encoding) ? await decompress(sent, encoding, limit) : sent;
  if (type.endsWith("+json")) checkJsonSize(message);
  else checkBinarySize(schema, message);
  return isCompressed ? Buffer.concat([toEnvelope(message, 0), splitter.rest]) : bytes;
}

/**
 * Reports whether a body is JSON. Management reads JSON equally strictly on every face; delivery ignores
 * unknown fields.
 */
function isJson({ request }: Exchange): boolean {
  return /^application\/json\b/i.test(request.headers["content-type"] ?? "");
}

/** The body of a unary call, read as a whole on first use by the library. */
class UnaryBody implements AsyncIterable<Uint8Array> {
  /** The error by which the body was refused, if any. */
  refusal: unknown;
  readonly #read: () => Promise<Uint8Array>;

  constructor(read: () => Promise<Uint8Array>) {
    this.#read = read;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield await this.#read();
    } catch (refusal) {
      this.refusal = refusal;
      throw toConnectError(refusal);
    }
  }
}

/** Reads the timeout of a call, in milliseconds; the library refuses a malformed one. */
function readTimeout(header: Headers, type: GrpcType | undefined): number | undefined {
  return type === undefined
    ? parseConnectTimeout(header.get("connect-timeout-ms"), HTTP_LIMITS.deadline).timeoutMs
    : parseGrpcTimeout(header.get("grpc-timeout"), HTTP_LIMITS.deadline).timeoutMs;
}

async function collect({
  status,
  header,
  body,
  trailer,
}: UniversalServerResponse): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  const [only] = chunks;
  return {
    status,
    headers: Object.fromEntries(header ?? []),
    body: chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks),
    ...(trailer !== undefined && { trailers: Object.fromEntries(trailer) }),
  };
}

/**
 * Finds the error with which the library itself refused a request, before any interceptor ran. The library
 * gives no reason, and calls some unreadable requests internal errors.
 */
function findFault(
  answer: Answer,
  type: GrpcType | undefined,
  limit: number,
): DomainError | undefined {
  const error = findError(answer, type);
  if (error === undefined || error.details.length > 0) return undefined;
  switch (error.code) {
    case Code.Internal:
    case Code.DataLoss:
      return malformedRequest("REQUEST_MALFORMED", "the message cannot be read");
    case Code.ResourceExhausted:
      return bodyTooLarge(limit);
    case Code.DeadlineExceeded:
      return deadlinePassed();
    default:
      return new DomainError(toRpcCode(error.code), "REQUEST_MALFORMED", error.rawMessage);
  }
}

function findError(answer: Answer, type: GrpcType | undefined): ConnectError | undefined {
  if (type !== undefined) return findGrpcError(answer, type);
  if (answer.status === 200) return undefined;
  const unreadable = new ConnectError("unreadable", Code.Internal);
  return errorFromJsonBytes(answer.body, undefined, unreadable);
}
