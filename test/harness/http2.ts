import { once } from "node:events";
import http2 from "node:http2";

/** A response over HTTP/2. */
export interface Http2Response {
  readonly status: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly trailers: http2.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every form.
  readonly json: any;
}

/** Opens a connection with prior knowledge (h2c); it must be closed. */
export async function connectHttp2(url: string): Promise<http2.ClientHttp2Session> {
  // Bodies that a server rejects stay in the client's memory for a while.
  const session = http2.connect(url, { maxSessionMemory: 200 });
  session.on("error", () => {});
  await once(session, "connect");
  return session;
}

/** Sends a request on a connection and waits for the whole response. */
export async function requestHttp2(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body?: string | Uint8Array,
): Promise<Http2Response> {
  const stream = session.request(headers, { endStream: body === undefined });
  const response = responseOf(stream);
  if (body !== undefined) stream.end(body);
  return response;
}

/** Waits for the whole response on a stream; throws if the stream ends without one. */
export function responseOf(stream: http2.ClientHttp2Stream): Promise<Http2Response> {
  return new Promise((resolve, reject) => {
    let headers: http2.IncomingHttpHeaders | undefined;
    let trailers: http2.IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on("response", (received) => {
      headers = received;
    });
    stream.on("trailers", (received) => {
      trailers = received;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    let error: unknown;
    stream.on("error", (cause) => {
      error = cause;
    });
    stream.on("close", () => {
      if (headers === undefined) {
        reject(error ?? new Error(`closed without a response, code ${stream.rstCode}`));
      }
    });
    // A server that does not want the rest of the request may leave the stream half open.
    stream.on("end", () => {
      if (headers === undefined) return;
      const body = Buffer.concat(chunks);
      const isJson = headers["content-type"] === "application/json" && body.length > 0;
      resolve({
        status: Number(headers[":status"]),
        headers,
        trailers,
        body,
        text: String(body),
        json:
          isJson && headers["content-encoding"] === undefined
            ? JSON.parse(String(body))
            : undefined,
      });
    });
  });
}
