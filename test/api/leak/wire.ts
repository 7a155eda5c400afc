import { type IncomingMessage, request } from "node:http";
import { type DescMethod, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { connectHeaders, getUrl } from "../../harness/calls.ts";
import { frame } from "../../harness/grpc-frame.ts";
import { readBody } from "../../harness/http.ts";
import { procedureOf } from "../methods.ts";

/** The forms in which a request is sent beside JSON. */
export const BINARY_FORMS = ["Connect binary", "gRPC-Web"] as const;

/** How a request is written; JSON by GET where the method allows it. */
export type Form = "Connect JSON" | (typeof BINARY_FORMS)[number];

/** A response to the byte. */
export interface WireResponse {
  readonly status: number;
  /** Names and values by name, without `date`; the keys of `surrogate-key` in alphabetical order. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Calls a method in one form, always with the same request id; `more` are headers. */
export async function callOnWire(
  url: string,
  method: DescMethod,
  message: JsonObject,
  form: Form,
  key: string,
  more: Readonly<Record<string, string>> = {},
): Promise<WireResponse> {
  const { path, headers, body, ...rest } = toRequest(method, message, form, key);
  const options = {
    ...rest,
    headers: {
      ...headers,
      authorization: `Bearer ${key}`,
      "accept-encoding": "identity",
      "x-request-id": "leak",
      ...more,
    },
  };
  // There are thousands of requests, and fetch takes more CPU than the service.
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url + path, options, resolve)
      .on("error", reject)
      .end(body);
  });
  return {
    status: response.statusCode ?? 0,
    headers: Object.entries(response.headers)
      .filter(([name]) => name !== "date")
      .map(([name, value]) => sortKeys(name, String(value))),
    body: await readBody(response),
  };
}

/** Sorts the surrogate keys: a page names its components in the order in which they were read. */
function sortKeys(name: string, value: string): [string, string] {
  return [name, name === "surrogate-key" ? value.split(" ").sort().join(" ") : value];
}

/** Writes a response as one text, in which a byte is a character. */
export function toText({ status, headers, body }: WireResponse): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [status, ...lines, "", body.toString("latin1")].join("\n");
}

function toRequest(method: DescMethod, message: JsonObject, form: Form, key: string): WireRequest {
  const path = `/${procedureOf(method)}`;
  const toBytes = () => Buffer.from(toBinary(method.input, fromJson(method.input, message)));
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  if (form === "gRPC-Web") {
    const headers = { "content-type": "application/grpc-web+proto" };
    return { method: "POST", path, headers, body: Buffer.from(frame(toBytes())) };
  }
  const isJson = form === "Connect JSON";
  if (!isRead) {
    const type = isJson ? "application/json" : "application/proto";
    const body = isJson ? JSON.stringify(message) : toBytes();
    return { method: "POST", path, headers: connectHeaders(key, type), body };
  }
  if (isJson) return { method: "GET", path: getUrl(path, message), headers: {} };
  const query = `?encoding=proto&base64=1&message=${toBytes().toString("base64url")}`;
  return { method: "GET", path: path + query, headers: {} };
}
