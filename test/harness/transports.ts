import type { Interceptor, Transport } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import {
  compressionBrotli,
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";

/** A way to call the service with a generated client. */
export interface TransportCase {
  readonly name: string;
  create(url: string, token: string): Transport;
}

type HttpVersion = "1.1" | "2";

/** Every protocol, format and HTTP version that goes together, plain and compressed both ways. */
export const TRANSPORTS: readonly TransportCase[] = (["1.1", "2"] as const).flatMap((httpVersion) =>
  [undefined, compressionGzip, compressionBrotli].flatMap((compression) => [
    ...[true, false].flatMap((useHttpGet) => [
      connect(httpVersion, true, useHttpGet, compression),
      connect(httpVersion, false, useHttpGet, compression),
    ]),
    grpcWeb(httpVersion, true, compression),
    grpcWeb(httpVersion, false, compression),
    ...(httpVersion === "2" ? [grpc(true, compression), grpc(false, compression)] : []),
  ]),
);

function connect(
  httpVersion: HttpVersion,
  useBinaryFormat: boolean,
  useHttpGet: boolean,
  compression: Compression | undefined,
): TransportCase {
  return {
    name: nameOf(
      useHttpGet ? "Connect GET" : "Connect POST",
      httpVersion,
      useBinaryFormat,
      compression,
    ),
    create: (baseUrl, token) =>
      createConnectTransport({
        ...common(baseUrl, token, useBinaryFormat, compression),
        httpVersion,
        useHttpGet,
      }),
  };
}

function grpcWeb(
  httpVersion: HttpVersion,
  useBinaryFormat: boolean,
  compression: Compression | undefined,
): TransportCase {
  return {
    name: nameOf("gRPC-Web", httpVersion, useBinaryFormat, compression),
    create: (baseUrl, token) =>
      createGrpcWebTransport({
        ...common(baseUrl, token, useBinaryFormat, compression),
        httpVersion,
      }),
  };
}

function grpc(useBinaryFormat: boolean, compression: Compression | undefined): TransportCase {
  return {
    name: nameOf("gRPC", "2", useBinaryFormat, compression),
    create: (baseUrl, token) =>
      createGrpcTransport(common(baseUrl, token, useBinaryFormat, compression)),
  };
}

function common(
  baseUrl: string,
  token: string,
  useBinaryFormat: boolean,
  compression: Compression | undefined,
) {
  return {
    baseUrl,
    useBinaryFormat,
    interceptors: [authorize(token)],
    ...(compression && {
      sendCompression: compression,
      acceptCompression: [compression],
      compressMinBytes: 0,
    }),
  };
}

/** Sends a token with every call. */
export function authorize(token: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
}

function nameOf(
  protocol: string,
  version: HttpVersion,
  useBinaryFormat: boolean,
  compression: Compression | undefined,
): string {
  const format = useBinaryFormat ? "binary" : "JSON";
  return `${protocol} ${format} over HTTP/${version}, ${compression?.name ?? "plain"}`;
}
