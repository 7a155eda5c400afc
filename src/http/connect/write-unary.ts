import { type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";
import { grpcStatusOk } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag } from "@connectrpc/connect/protocol-grpc-web";
import { MessageJson } from "../../protojson/message-json.ts";
import { writeJson } from "../../protojson/write-json.ts";
import {
  COMPRESS_MIN_BYTES,
  type Coding,
  chooseCoding,
  chooseListed,
  compress,
  toTag,
} from "../listener/content-coding.ts";
import type { HttpResponse, NodeRequest } from "../listener/exchange.ts";
import { runInTurns } from "../listener/run-in-turns.ts";
import { COMPRESSED, toEnvelope } from "./grpc-framing.ts";
import type { Codec, CodecOptions, UnaryForm } from "./read-unary.ts";

/** Writes the message of a response in a codec. */
export async function writeMessage(
  schema: DescMessage,
  message: Message | MessageJson,
  codec: Codec,
  options: CodecOptions,
): Promise<Uint8Array> {
  if (message instanceof MessageJson) {
    return codec === "proto" ? message.toBinary() : message.toBytes();
  }
  if (codec === "proto") return toBinary(schema, message);
  return runInTurns(writeJson(schema, message, options));
}

/** The result of a call, before it is written in a protocol. */
export interface CallResult {
  /** The headers, without those that describe the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly trailers: Readonly<Record<string, string>>;
  /** The message in the codec of the call. */
  readonly message: Uint8Array;
  /** True if a response without an ETag gets one from its bytes. */
  readonly isTagged: boolean;
}

/** Writes the response of a call in the form of its request, compressed if the caller accepts that. */
export async function writeResponse(
  { headers }: NodeRequest,
  form: UnaryForm,
  result: CallResult,
): Promise<HttpResponse> {
  const { message } = result;
  const isConnect = form.protocol === "connect";
  // A handler's ETag identifies a state rather than bytes, so its response to Connect is never compressed.
  const isCompressible =
    message.length >= COMPRESS_MIN_BYTES && !(isConnect && result.headers.etag !== undefined);
  const coding = !isCompressible
    ? "identity"
    : isConnect
      ? chooseCoding(headers["accept-encoding"])
      : chooseListed(headers["grpc-accept-encoding"]);
  const body = coding === "identity" ? message : await compress(message, coding);
  return isConnect
    ? writeConnect(form, result, coding, body)
    : writeGrpc(form, result, coding, body);
}

function writeConnect(
  { codec, query }: UnaryForm,
  { headers, trailers, isTagged }: CallResult,
  coding: Coding,
  body: Uint8Array,
): HttpResponse {
  return {
    status: 200,
    headers: {
      "content-type": `application/${codec}`,
      ...(coding !== "identity" && { "content-encoding": coding }),
      ...headers,
      // No Authorization header that the response could depend on.
      ...(query?.hasKey && headers.vary !== undefined && { vary: "Accept-Encoding" }),
      ...toConnectTrailers(trailers),
      ...(isTagged && headers.etag === undefined && { etag: toTag(body) }),
    },
    body,
  };
}

function writeGrpc(
  { codec, protocol }: UnaryForm,
  { headers, trailers, isTagged }: CallResult,
  coding: Coding,
  message: Uint8Array,
): HttpResponse {
  const isCompressed = coding !== "identity";
  const envelope = toEnvelope(message, isCompressed ? COMPRESSED : 0);
  const response = {
    status: 200,
    headers: {
      "content-type": `application/${protocol}+${codec}`,
      ...(isCompressed && { "grpc-encoding": coding }),
      ...headers,
      ...(isTagged && headers.etag === undefined && { etag: toTag(message) }),
    },
    body: envelope,
  };
  const allTrailers = { "grpc-status": grpcStatusOk, ...trailers };
  if (protocol === "grpc") return { ...response, trailers: allTrailers };
  const lines = Object.entries(allTrailers).map(([name, value]) => `${name}: ${value}\r\n`);
  const end = toEnvelope(Buffer.from(lines.join(""), "latin1"), trailerFlag);
  return { ...response, body: Buffer.concat([envelope, end]) };
}

/** Converts the trailers of a unary response to headers, as Connect sends them. */
export function toConnectTrailers(
  trailers: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(trailers);
  return Object.fromEntries(entries.map(([name, value]) => [`trailer-${name}`, value]));
}
