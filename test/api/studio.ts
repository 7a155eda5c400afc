import {
  type DescMethod,
  type DescService,
  fromJson,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { type HttpResponse, metadataOf, reasonOf, send } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";
import { type JsonMessage, sendRequest, toProtocolRequests } from "./methods.ts";

/** What a call carries beside its message. */
export interface StudioCall {
  /** Default: the owner's. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response, and what it says in the names of proto JSON whatever protocol it came from. */
export interface StudioResponse extends HttpResponse {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every form.
  readonly value: any;
}

/** Calls methods of one service by name; messages are in lowerCamelCase. */
export type CallStudio = (
  method: string,
  message: JsonMessage,
  call?: StudioCall,
) => Promise<StudioResponse>;

/** Makes the calls of a service; `resource-lives.test.ts` holds that both protocols do the same. */
export function callStudio(
  { url, tokens }: Pick<Marquee, "url" | "tokens">,
  service: DescService,
  protocol: "REST" | "Connect POST" = "Connect POST",
): CallStudio {
  return async (name, message, { token = tokens.owner, headers = {} } = {}) => {
    const method = service.methods.find((it) => it.name === name);
    if (method === undefined) throw new Error(`${service.typeName} has no ${name}`);
    const request = toProtocolRequests(method, message).find((it) => it.protocol === protocol);
    if (request === undefined) throw new Error(`${name} has no ${protocol}`);
    const got = await sendRequest(url, request, token, headers);
    return { ...got, value: got.status === 200 ? readResponse(method, got.json) : undefined };
  };
}

/** Calls a path of the Studio API as the owner. */
export function callRest(
  { url, tokens }: Pick<Marquee, "url" | "tokens">,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  return send(method, `${url}/${path}`, {
    ...{ token: tokens.owner, headers },
    ...(body !== undefined && { body }),
  });
}

function readResponse({ output }: DescMethod, json: JsonValue): JsonValue {
  return toJson(output, fromJson(output, json));
}

/** What an error says to programs: its status, its reason, and the field that it blames. */
export function errorOf(got: HttpResponse): [number, string | undefined, string | undefined] {
  return [got.status, reasonOf(got), metadataOf(got)?.field];
}

/** Gets the name of the field that an error over REST blames first. */
export function blamedField({ json }: HttpResponse): string | undefined {
  const details: { field_violations?: { field: string }[] }[] = json.details;
  return details.find((it) => it.field_violations)?.field_violations?.[0]?.field;
}
