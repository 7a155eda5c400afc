import {
  type DescMessage,
  type DescMethod,
  fromBinary,
  fromJsonString,
  type Message,
  type Registry,
  toJsonString,
} from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { isManagement } from "../../domain/descriptors.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { readJsonBytes } from "../../protojson/read-json.ts";
import { readMessage } from "../../protojson/read-message.ts";
import type { Exchange } from "../listener/exchange.ts";
import { malformedRequest, Refusal } from "../listener/refusal.ts";
import { decompress, isSupported, readBody, readRawBody } from "../listener/request-body.ts";
import {
  declaresCompression,
  ENVELOPE_PREFIX,
  isCompressedMessage,
  isTrailers,
  splitEnvelopes,
} from "./envelopes.ts";
import { checkBinarySize, checkJsonSize } from "./message-size.ts";
import type { MessageQuery, Protocol, UnaryForm } from "./unary-form.ts";

/** The types that a `google.protobuf.Any` may hold in JSON. */
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
  throw protocolError(
    Code.UNIMPLEMENTED,
    `unknown compression "${String(name)}": supported encodings are gzip,br`,
  );
}

/** Reads the bytes of the message of a call, decompressed; `limit` is that of a message, in bytes. */
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
    const isTooLarge = cause instanceof Refusal && cause.status === 413;
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
  const isCompressed = declaresCompression(exchange.request);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const { envelopes, rest } = splitEnvelopes(bytes, { limit, isCompressed });
  if (rest.length > 0) {
    throw protocolError(Code.INVALID_ARGUMENT, "protocol error: incomplete envelope");
  }
  const messages = protocol === "grpc" ? envelopes : envelopes.filter((it) => !isTrailers(it));
  const [only, ...extra] = messages;
  if (only === undefined || extra.length > 0) {
    const fault = only === undefined ? "missing input message" : "received extra input message";
    throw protocolError(Code.UNIMPLEMENTED, `protocol error: ${fault} for unary method`);
  }
  const message = only.subarray(ENVELOPE_PREFIX);
  const isPacked = isCompressedMessage(only) && isSupported(encoding);
  return isPacked ? decompress(message, encoding, limit) : message;
}

/**
 * Parses the bytes of a message. Delivery ignores unknown fields of JSON, management refuses them. Throws a
 * Refusal `REQUEST_MALFORMED`, and the errors of the size checks.
 */
export function parseMessage(
  { input, parent }: DescMethod,
  form: UnaryForm,
  bytes: Uint8Array,
  options: CodecOptions,
): Message {
  if (form.codec === "proto") return parseBinary(input, bytes);
  const isStrict = isManagement(parent);
  // Management reads the JSON of a POST equally strictly on every face.
  if (isStrict && form.protocol === "connect" && form.query === undefined) {
    return parseStrictly(input, bytes);
  }
  checkJsonSize(bytes);
  try {
    const text = UTF_8.decode(bytes);
    return fromJsonString<DescMessage>(input, text, { ...options, ignoreUnknownFields: !isStrict });
  } catch (cause) {
    throw malformed(cause instanceof Error ? cause.message : String(cause));
  }
}

/** Strips a byte order mark, as the Connect library does. */
const UTF_8 = new TextDecoder();

function parseStrictly(input: DescMessage, bytes: Uint8Array): Message {
  const message = readMessage(input, readJsonBytes(bytes), "");
  try {
    toJsonString(input, message);
  } catch {
    // Of all that could be read, only the paths of a field mask may have no JSON.
    const fault = "a field mask contains a path that is not a field name";
    throw new DomainError(Code.INVALID_ARGUMENT, "UPDATE_MASK_INVALID", fault);
  }
  return message;
}

function parseBinary(input: DescMessage, bytes: Uint8Array): Message {
  checkBinarySize(input, bytes);
  try {
    return fromBinary(input, bytes);
  } catch {
    throw unreadable();
  }
}

function unreadable() {
  return malformed("the message cannot be read");
}

function malformed(message: string) {
  return malformedRequest("REQUEST_MALFORMED", message);
}

/** Creates the error of a request that breaks the rules of its protocol. */
function protocolError(code: Code, message: string): DomainError {
  return new DomainError(code, "REQUEST_MALFORMED", message);
}
