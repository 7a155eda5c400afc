import { parseContentType as parseConnectType } from "@connectrpc/connect/protocol-connect";
import { parseContentType as parseGrpcType } from "@connectrpc/connect/protocol-grpc";
import { parseContentType as parseGrpcWebType } from "@connectrpc/connect/protocol-grpc-web";
import type { Exchange } from "../listener/exchange.ts";
import { malformedRequest, type Refusal, unsupportedMediaType } from "../listener/refusal.ts";

/** The protocol of a procedure call. */
export type Protocol = "connect" | "grpc" | "grpc-web";

/** The serialization of messages. */
export type Codec = "json" | "proto";

/** The protocol of a unary call and the codec of its messages. */
export interface UnaryForm {
  readonly protocol: Protocol;
  readonly codec: Codec;
  /** True if a public key in the URL authenticates the caller; default: false. */
  readonly isKeyed?: boolean;
  /** The message of a Connect GET; absent: it is the body. */
  readonly query?: MessageQuery;
}

/** The message in the query of a Connect GET. */
export interface MessageQuery {
  readonly message: string;
  readonly isBase64: boolean;
  /** The compression of the message; `identity`: none. */
  readonly compression: string;
  /** The public keys in the URL, of which there may be one; absent: the Authorization header authenticates the caller. */
  readonly keys?: readonly string[];
}

/** Reads the form of a call to a unary method. Returns a Refusal: 415, or 400 `QUERY_MALFORMED`. */
export function readForm({ method, request, query }: Exchange): Refusal | UnaryForm {
  return method === "GET" ? readGetForm(query) : readPostForm(request.headers["content-type"]);
}

function readGetForm(query: string): Refusal | UnaryForm {
  const parameters = new URLSearchParams(query);
  const encoding = parameters.get("encoding");
  if (encoding === null) {
    return malformedRequest("QUERY_MALFORMED", "the query must hold encoding=json and a message");
  }
  if (encoding !== "json" && encoding !== "proto") {
    return unsupportedMediaType("encoding must be json or proto");
  }
  const keys = parameters.getAll("key");
  const isKeyed = keys.length > 0;
  return {
    protocol: "connect",
    codec: encoding,
    isKeyed,
    query: {
      message: parameters.get("message") ?? "",
      isBase64: parameters.get("base64") === "1",
      compression: parameters.get("compression") ?? "identity",
      ...(isKeyed && { keys }),
    },
  };
}

function readPostForm(contentType = ""): Refusal | UnaryForm {
  const connect = parseConnectType(contentType);
  if (connect !== undefined && !connect.stream) return toForm("connect", connect);
  const grpc = parseGrpcType(contentType);
  if (grpc !== undefined) return toForm("grpc", grpc);
  const grpcWeb = parseGrpcWebType(contentType);
  if (grpcWeb !== undefined && !grpcWeb.text) return toForm("grpc-web", grpcWeb);
  return unsupportedMediaType(
    "the body must be application/json or application/proto, or those of gRPC",
  );
}

function toForm(protocol: Protocol, { binary }: { readonly binary: boolean }): UnaryForm {
  return { protocol, codec: binary ? "proto" : "json" };
}
