import { type DescMessage, fromBinary, type Message, type Registry } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { parseTimeout as parseConnectTimeout } from "@connectrpc/connect/protocol-connect";
import {
  parseTimeout as parseGrpcTimeout,
  parseContentType as parseGrpcType,
} from "@connectrpc/connect/protocol-grpc";
import {
  parseContentType as parseGrpcWebType,
  trailerFlag,
} from "@connectrpc/connect/protocol-grpc-web";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { readJsonBytes } from "../../protojson/read-json.ts";
import { type ReadOptions, readMessage } from "../../protojson/read-message.ts";
import { decompress, isSupported } from "../listener/content-coding.ts";
import type { Exchange, NodeRequest } from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { httpError, Rejection } from "../listener/rejection.ts";
import { readBody, readRawBody } from "../listener/request-body.ts";
import { checkBinarySize } from "./binary-size.ts";
import {
  COMPRESSED,
  ENVELOPE_PREFIX,
  type Envelope,
  readGrpcType,
  splitEnvelopes,
} from "./grpc-framing.ts";

/** The protocol of a procedure call. */
export type Protocol = "connect" | "grpc" | "grpc-web";

/** The serialization of messages. */
export type Codec = "json" | "proto";

/** The protocol of a unary call and the codec of its messages. */
export interface UnaryForm {
  readonly protocol: Protocol;
  readonly codec: Codec;
  /** The message of a Connect GET; absent: it is the body. */
  readonly query?: MessageQuery;
}

/** The message in the query of a Connect GET. */
export interface MessageQuery {
  readonly message: string;
  readonly isBase64: boolean;
  /** The compression of the message; `identity`: none. */
  readonly compression: string;
  /** True if a public key in the URL authenticates the caller, and not the Authorization header. */
  readonly hasKey: boolean;
}

/** Returns the parameters in the URL of a GET; none of another request. */
export function readParameters({ method, query }: Exchange): URLSearchParams {
  return new URLSearchParams(method === "GET" ? query : "");
}

/** Reads the form of a call to a unary method. Returns a Rejection: 415, or 400 `QUERY_MALFORMED`. */
export function readForm(
  { method, request }: Exchange,
  parameters: URLSearchParams,
): Rejection | UnaryForm {
  return method === "GET" ? readGetForm(parameters) : readPostForm(request.headers["content-type"]);
}

function readGetForm(parameters: URLSearchParams): Rejection | UnaryForm {
  const [encoding, message] = [parameters.get("encoding"), parameters.get("message")];
  if (encoding === null || message === null) {
    const description = "the query must have encoding=json and a message";
    return httpError.malformedRequest("QUERY_MALFORMED", description);
  }
  if (encoding !== "json" && encoding !== "proto") {
    return httpError.unsupportedMediaType("encoding must be json or proto");
  }
  return {
    protocol: "connect",
    codec: encoding,
    query: {
      message,
      isBase64: parameters.get("base64") === "1",
      compression: parameters.get("compression") ?? "identity",
      hasKey: parameters.has("key"),
    },
  };
}

/** The content types of Connect. The library's take no parameter but a charset without quotes. */
const CONNECT_TYPE = /^application\/(json|proto)\s*(?:;|$)/i;

function readPostForm(contentType = ""): Rejection | UnaryForm {
  const [, codec] = CONNECT_TYPE.exec(contentType) ?? [];
  if (codec !== undefined) return toForm("connect", { binary: codec.toLowerCase() === "proto" });
  const grpc = parseGrpcType(contentType);
  if (grpc !== undefined) return toForm("grpc", grpc);
  const grpcWeb = parseGrpcWebType(contentType);
  if (grpcWeb !== undefined && !grpcWeb.text) return toForm("grpc-web", grpcWeb);
  const message = "the body must be application/json, application/proto or a gRPC type";
  return httpError.unsupportedMediaType(message);
}

function toForm(protocol: Protocol, { binary }: { readonly binary: boolean }): UnaryForm {
  return { protocol, codec: binary ? "proto" : "json" };
}

/** The types that a `google.protobuf.Any` may contain in JSON. */
export interface CodecOptions {
  readonly registry?: Registry;
}

/**
 * Checks that the message of a call is in a supported compression, before it is read: UNIMPLEMENTED. The body
 * of a Connect POST is checked when it is read.
 */
export function checkCompression({ request }: Exchange, { protocol, query }: UnaryForm): void {
  const grpc = protocol === "connect" ? undefined : request.headers["grpc-encoding"];
  const name = query?.compression ?? grpc ?? "identity";
  if (name === "identity" || isSupported(name)) return;
  const message = `unknown compression "${String(name)}": supported encodings are gzip,br`;
  throw protocolError(Code.UNIMPLEMENTED, message);
}

/** Reads the bytes of the message of a call, decompressed; `limit` applies to one message, in bytes. */
export async function readMessageBytes(
  exchange: Exchange,
  { protocol, query }: UnaryForm,
  limit: number,
): Promise<Uint8Array> {
  if (query !== undefined) return readQuery(query, limit);
  if (protocol === "connect") return readBody(exchange, limit, 501);
  return readEnvelope(exchange, protocol, limit);
}

async function readQuery(
  { message, isBase64, compression }: MessageQuery,
  limit: number,
): Promise<Uint8Array> {
  const bytes = isBase64 ? decodeBase64(message) : Buffer.from(message);
  if (!isSupported(compression)) return bytes;
  return decompress(bytes, compression, limit).catch((cause: unknown) => {
    const isTooLarge = cause instanceof Rejection && cause.status === 413;
    throw isTooLarge ? cause : malformed(`the message is not valid ${compression}`);
  });
}

function decodeBase64(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw unreadable();
  }
}

/** Reads the only message in the body of a gRPC or gRPC-Web call; trailers of gRPC-Web are ignored. */
async function readEnvelope(
  exchange: Exchange,
  protocol: Protocol,
  limit: number,
): Promise<Uint8Array> {
  const encoding = exchange.request.headers["grpc-encoding"];
  const body = await readRawBody(exchange, limit + ENVELOPE_PREFIX);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  let only: Envelope | undefined;
  for (const envelope of splitEnvelopes(bytes, exchange.request, limit)) {
    if (protocol === "grpc-web" && (envelope.flags & trailerFlag) !== 0) break;
    if (only !== undefined) throw unaryError("received extra input message");
    only = envelope;
  }
  if (only === undefined) throw unaryError("missing input message");
  const isPacked = (only.flags & COMPRESSED) !== 0 && isSupported(encoding);
  return isPacked ? decompress(only.data, encoding, limit) : only.data;
}

function unaryError(error: string): DomainError {
  return protocolError(Code.UNIMPLEMENTED, `protocol error: ${error} for unary method`);
}

/**
 * Parses the bytes of a message. JSON is read as in a body of HTTP/JSON. Throws a Rejection `REQUEST_MALFORMED` for bytes
 * that are not a message, and the errors of reading JSON.
 */
export function parseMessage(
  schema: DescMessage,
  { codec }: UnaryForm,
  bytes: Uint8Array,
  options: CodecOptions & Pick<ReadOptions, "warnings">,
): Message {
  if (codec === "proto") return parseBinary(schema, bytes);
  return readMessage(schema, readJsonBytes(bytes), "", options);
}

function parseBinary(input: DescMessage, bytes: Uint8Array): Message {
  checkBinarySize(input, bytes);
  try {
    // They could be neither checked nor shown, but would be stored.
    return fromBinary(input, bytes, { readUnknownFields: false });
  } catch {
    throw unreadable();
  }
}

function unreadable() {
  return malformed("the message cannot be read");
}

function malformed(message: string) {
  return httpError.malformedRequest("REQUEST_MALFORMED", message);
}

function protocolError(code: Code, message: string): DomainError {
  return new DomainError(code, "REQUEST_MALFORMED", message);
}

/** The time that a caller waits, in milliseconds, or the error of a malformed header; neither without one. */
export type Timeout = ReturnType<typeof parseConnectTimeout>;

/**
 * Reads the timeout of a call, at most the longest deadline. Node joins a repeated header, which makes it malformed.
 */
export function readTimeout(request: NodeRequest): Timeout {
  const { "connect-timeout-ms": connect, "grpc-timeout": grpc } = request.headers;
  if (connect === undefined && grpc === undefined) return {};
  const isGrpc = request.method === "POST" && readGrpcType(request) !== undefined;
  const header = isGrpc ? grpc : connect;
  if (header === undefined) return {};
  const parse = isGrpc ? parseGrpcTimeout : parseConnectTimeout;
  const timeout = parse(String(header), Number.POSITIVE_INFINITY);
  const { timeoutMs } = timeout;
  return timeoutMs === undefined
    ? timeout
    : { timeoutMs: Math.min(timeoutMs, HTTP_LIMITS.deadline) };
}

/** Checks the time that a caller waits. Throws a Rejection: 400 `REQUEST_MALFORMED`, or the error of a deadline that has passed. */
export function checkTimeout({ timeoutMs, error }: Timeout): void {
  if (error !== undefined) throw httpError.malformedRequest("REQUEST_MALFORMED", error.rawMessage);
  if (timeoutMs === 0) throw httpError.deadlinePassed();
}
