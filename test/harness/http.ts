/** The answer to a request, its body parsed where it is JSON. */
export interface HttpAnswer {
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

/** Sends a request over a real socket. */
export async function send(
  method: string,
  url: string,
  { token, headers = {}, body }: HttpRequest = {},
): Promise<HttpAnswer> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && {
      body: (isRaw ? body : JSON.stringify(body)) as NonNullable<RequestInit["body"]>,
    }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

/** Gets the reason of an error answer in either form, studio's or Connect's. */
export function reasonOf({ json }: HttpAnswer): string | undefined {
  return infoOf(json)?.reason;
}

/** Gets the metadata of an error answer in either form. */
export function metadataOf({ json }: HttpAnswer): Record<string, string> | undefined {
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
