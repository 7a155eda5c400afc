import type { DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import {
  errorFromJsonBytes,
  parseTimeout as parseConnectTimeout,
} from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc";
import { progressKey } from "../../call/caller.ts";
import { toConnectError, toRpcCode } from "../../call/errors.ts";
import { DomainError } from "../../domain/errors.ts";
import { isManagement } from "../../domain/messages/interfaces.ts";
import { checkBinarySize } from "../../transcoding/binary-size.ts";
import { checkJsonSize } from "../../transcoding/json-size.ts";
import { toCanonicalJson } from "../../transcoding/strict-json.ts";
import { deadlinePassed, withinTime } from "../server/deadline.ts";
import { toErrorAnswer } from "../server/errors.ts";
import type { Answer, Exchange, NodeRequest } from "../server/exchange.ts";
import { HTTP_LIMITS } from "../server/limits.ts";
import { bodyTooLarge, malformedRequest } from "../server/refusal.ts";
import { decompress, isSupported, readBody, readRawBody } from "../server/request-body.ts";
import { toContextValues, toUniversalRequest } from "./connect-request.ts";
import {
  ENVELOPE_PREFIX,
  EnvelopeSplitter,
  isCompressedMessage,
  isCompressedStream,
} from "./envelopes.ts";
import { findGrpcError, type GrpcType, readGrpcType } from "./grpc.ts";

/**
 * Calls a unary method in any of the three protocols and returns the whole answer, in time for the
 * caller's deadline also if the handler takes no notice of it. The limit is that of a message, in
 * bytes.
 */
export async function callUnary(
  handler: UniversalHandler,
  exchange: Exchange,
  limit: number,
): Promise<Answer> {
  const type = exchange.method === "GET" ? undefined : readGrpcType(exchange.request);
  const progress = { reached: false };
  const values = toContextValues(exchange);
  values.set(progressKey, progress);
  const body = new UnaryBody(async () => {
    const { input } = handler.method;
    if (type !== undefined) return readEnvelope(exchange, type, input, limit);
    const bytes = await readBody(exchange, limit, 501);
    if (isJson(exchange) && isManagement(handler.service)) return toCanonicalJson(input, bytes);
    if (isJson(exchange)) checkJsonSize(bytes);
    else checkBinarySize(input, bytes);
    return bytes;
  });
  const request = toUniversalRequest(exchange, values, body);
  // A GET has no body, whatever its header says of one.
  if (exchange.method === "GET") request.header.delete("content-type");
  if (type === undefined) {
    // The body is decompressed when the library gets it.
    request.header.delete("content-encoding");
    request.header.delete("content-length");
  }
  const answer = await withinTime(
    readTimeout(request.header, type),
    handler(request).then(collect),
  ).catch((cause: unknown) => toErrorAnswer(cause, type ?? "connect"));
  const fault = body.refusal ?? (progress.reached ? undefined : findFault(answer, type, limit));
  return fault === undefined ? answer : toErrorAnswer(fault, type ?? "connect");
}

/** Reads the body of a gRPC call; a wrong envelope, and a message of too many values, is refused here. */
async function readEnvelope(
  exchange: Exchange,
  type: GrpcType,
  schema: DescMessage,
  limit: number,
): Promise<Uint8Array> {
  const bytes = await readRawBody(exchange, limit + ENVELOPE_PREFIX);
  const splitter = new EnvelopeSplitter({
    limit,
    isCompressed: isCompressedStream(exchange.request),
  });
  splitter.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const envelope = splitter.take();
  if (envelope === undefined) return bytes;
  const message = await openEnvelope(envelope, exchange.request.headers["grpc-encoding"], limit);
  if (type.endsWith("+json")) checkJsonSize(message);
  else checkBinarySize(schema, message);
  return bytes;
}

/** Gets the message out of an envelope; one in an unknown encoding is left to the library to refuse. */
async function openEnvelope(
  envelope: Uint8Array,
  encoding: NodeRequest["headers"][string],
  limit: number,
): Promise<Uint8Array> {
  const message = envelope.subarray(ENVELOPE_PREFIX);
  if (!isCompressedMessage(envelope)) return message;
  return isSupported(encoding) ? decompress(message, encoding, limit) : new Uint8Array();
}

/** Management reads JSON with the same strictness on every face; delivery ignores what it does not know. */
function isJson({ request }: Exchange): boolean {
  return /^application\/json\b/i.test(request.headers["content-type"] ?? "");
}

/** The body of a unary call: read whole, when the library first asks for it. */
class UnaryBody implements AsyncIterable<Uint8Array> {
  /** Why the body was refused, if it was. */
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

/** Reads the time that the caller gives the call, in milliseconds; the library refuses a bad one. */
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
 * Finds what the library refused by itself, before any interceptor ran. It gives no reason, and some
 * requests that cannot be read it calls internal errors.
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
