import { type IncomingMessage, request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** The response to a request, its body parsed where it is JSON. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every form.
  readonly json: any;
}

/** What a request carries beside its address. */
export interface HttpRequest {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: unknown;
}

/** The limit of the headers of every response (contract: limits 1). */
const MOST_HEADER_BYTES = 8_192;

/** Sends a request over a real socket, in no coding unless its headers ask for one; `fetch` takes more CPU than most calls of the service. */
export async function send(
  method: string,
  url: string,
  { token, headers = {}, body }: HttpRequest = {},
): Promise<HttpResponse> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const content = isRaw ? Buffer.from(body as string) : Buffer.from(JSON.stringify(body) ?? "");
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          "content-type": "application/json",
          "content-length": content.length,
        }),
        ...headers,
      },
    })
      .on("response", resolve)
      .on("error", reject)
      .end(content);
  });
  const text = decode(await readBody(response), response.headers["content-encoding"]).toString();
  const received = new Headers();
  for (const [name, values = []] of Object.entries(response.headersDistinct)) {
    for (const value of values) received.append(name, value);
  }
  const headerBytes = response.rawHeaders.reduce((sum, it) => sum + it.length + 2, 0);
  if (headerBytes > MOST_HEADER_BYTES) {
    throw new Error(`${method} ${url}: the response has ${headerBytes} bytes of headers`);
  }
  const isJson = /\bjson/.test(received.get("content-type") ?? "") && text !== "";
  return {
    status: response.statusCode ?? 0,
    headers: received,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

/** Reads a body; the `buffer` of `node:stream/consumers` goes by way of a Blob, which takes far longer. */
export function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    response
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("error", reject)
      .on("end", () => resolve(Buffer.concat(chunks)));
  });
}

function decode(body: Buffer, coding: string | undefined): Buffer {
  if (coding === "gzip") return gunzipSync(body);
  return coding === "br" ? brotliDecompressSync(body) : body;
}

/** Gets the reason of an error response in either form, studio's or Connect's. */
export function reasonOf({ json }: HttpResponse): string | undefined {
  return infoOf(json)?.reason;
}

/** Says how a call was rejected: its status and reason. */
export function rejection(got: HttpResponse): readonly [number, string | undefined] {
  return [got.status, reasonOf(got)];
}

/** Gets the metadata of an error response in either form. */
export function metadataOf({ json }: HttpResponse): Record<string, string> | undefined {
  return infoOf(json)?.metadata;
}

function infoOf(body: {
  details?: { "@type"?: string; type?: string; debug?: ErrorInfo }[];
}): ErrorInfo | undefined {
  for (const detail of body?.details ?? []) {
    if (detail["@type"] === "type.googleapis.com/google.rpc.ErrorInfo") {
      return detail as unknown as ErrorInfo;
    }
    if (detail.type === "google.rpc.ErrorInfo") return detail.debug;
  }
  return undefined;
}

interface ErrorInfo {
  readonly reason: string;
  readonly domain: string;
  readonly metadata: Record<string, string>;
}
