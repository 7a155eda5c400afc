import type { OutgoingHttpHeaders } from "node:http2";
import { frame, webTrailers } from "./grpc-frame.ts";
import { connectHttp2, type Http2Response, requestHttp2 } from "./http2.ts";
import { connectRaw, type RawResponse } from "./raw-socket.ts";

/** What a call of gRPC or gRPC-Web carries; without a body, an empty message. */
export interface GrpcCall {
  readonly token?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Writes bytes on an HTTP/1.1 connection of their own and returns the first response. */
export async function askRaw(url: string, ...bytes: (string | Uint8Array)[]): Promise<RawResponse> {
  const raw = await connectRaw(url);
  for (const part of bytes) raw.write(part);
  const got = await raw.response();
  raw.destroy();
  return got;
}

/** Sends a request on an HTTP/2 connection of its own. */
export async function askHttp2(
  url: string,
  headers: OutgoingHttpHeaders,
  body?: string | Uint8Array,
): Promise<Http2Response> {
  const session = await connectHttp2(url);
  try {
    return await requestHttp2(session, headers, body);
  } finally {
    session.close();
  }
}

/** Calls a method over gRPC on a connection of its own; `code` is its status. */
export async function askGrpc(
  url: string,
  path: string,
  call: GrpcCall = {},
): Promise<Http2Response & { readonly code: string | undefined }> {
  const got = await askHttp2(url, grpcHeaders(path, call), call.body ?? frame(new Uint8Array()));
  return { ...got, code: grpcCode(got) };
}

/** Makes the headers of a call of gRPC over HTTP/2. */
export function grpcHeaders(
  path: string,
  { token, type = "application/grpc", headers = {} }: GrpcCall = {},
): OutgoingHttpHeaders {
  const fixed = { ":method": "POST", ":path": path, "content-type": type, te: "trailers" };
  return { ...fixed, ...(token && { authorization: `Bearer ${token}` }), ...headers };
}

/** Gets the status of gRPC from trailers, or from the headers of a response without a message. */
export function grpcCode({ headers, trailers }: Http2Response): string | undefined {
  return { ...headers, ...trailers }["grpc-status"] as string | undefined;
}

/** Calls a method over gRPC-Web and HTTP/1.1, and returns the trailers in its body. */
export async function askGrpcWeb(
  url: string,
  path: string,
  { token, type = "application/grpc-web+proto", headers = {}, body }: GrpcCall = {},
): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      "content-type": type,
      ...headers,
    },
    body: Buffer.from(body ?? frame(new Uint8Array())),
  });
  if (response.status !== 200) throw new Error(`gRPC-Web got HTTP status ${response.status}`);
  return webTrailers(Buffer.from(await response.arrayBuffer()));
}
