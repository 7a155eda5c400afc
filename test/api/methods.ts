import { globSync } from "node:fs";
import { join } from "node:path";
import { type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { connectHeaders } from "../harness/calls.ts";
import { type HttpResponse, send } from "../harness/http.ts";

/** A request of a method on one of its protocols. */
export interface ProtocolRequest {
  readonly protocol: "REST" | "Connect POST" | "Connect GET";
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A message in protobuf JSON, with lowerCamelCase names. */
export type JsonMessage = Readonly<Record<string, unknown>>;

const GEN = join(import.meta.dirname, "../../gen");

/** Finds every method of every service under `svc.`, in the generated descriptors. */
export async function findMethods(): Promise<DescMethod[]> {
  const files = globSync("svc/**/*_pb.ts", { cwd: GEN }).sort();
  const modules = await Promise.all(files.map((file) => import(join(GEN, file))));
  return modules.flatMap((it) => Object.values(it).filter(isService)).flatMap((it) => it.methods);
}

/** Gives a method's name as in a Connect path: `svc.cda.cms.event.v1.EventService/ListEvents`. */
export function procedureOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** Writes a message as the requests of all protocols that a method has. */
export function toProtocolRequests(method: DescMethod, message: JsonMessage): ProtocolRequest[] {
  const path = `/${procedureOf(method)}`;
  const requests: ProtocolRequest[] = [
    {
      protocol: "Connect POST",
      method: "POST",
      path,
      headers: { "content-type": "application/json", "connect-protocol-version": "1" },
      body: message,
    },
  ];
  if (method.idempotency === 1) {
    const query = `encoding=json&message=${encodeURIComponent(JSON.stringify(message))}`;
    requests.push({
      protocol: "Connect GET",
      method: "GET",
      path: `${path}?${query}`,
      headers: {},
    });
  }
  const rest = toRestRequest(method, message);
  return rest === undefined ? requests : [rest, ...requests];
}

/** Sends a request with a token and further headers. */
export function sendRequest(
  url: string,
  { method, path, body, headers }: ProtocolRequest,
  token: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  return send(method, url + path, {
    ...{ token, headers: { ...headers, ...more } },
    ...(body !== undefined && { body }),
  });
}

/** Calls a method by a Connect POST. */
export function callConnect(
  url: string,
  method: DescMethod,
  body: JsonMessage,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const all = { ...connectHeaders(token), ...headers };
  return send("POST", `${url}/${procedureOf(method)}`, { headers: all, body });
}

function toRestRequest(method: DescMethod, message: JsonMessage): ProtocolRequest | undefined {
  if (!hasOption(method, http)) return undefined;
  const { pattern, body } = getOption(method, http);
  if (pattern.case === undefined || pattern.case === "custom") return undefined;
  const rest = new Map(Object.entries(message));
  const path = pattern.value.replace(/\{(\w+)[^}]*\}/g, (_, name: string) => {
    const value = String(message[toCamelCase(name)]);
    rest.delete(toCamelCase(name));
    return value.split("/").map(encodeURIComponent).join("/");
  });
  const request = { protocol: "REST" as const, method: pattern.case.toUpperCase(), headers: {} };
  if (body === "*") return { ...request, path, body: Object.fromEntries(rest) };
  const content = rest.get(toCamelCase(body));
  rest.delete(toCamelCase(body));
  const query = Array.from(rest, ([name, value]) =>
    [value].flat().map((it) => `${name}=${encodeURIComponent(String(it))}`),
  ).flat();
  return {
    ...request,
    path: query.length === 0 ? path : `${path}?${query.join("&")}`,
    ...(body !== "" && { body: content }),
  };
}

function isService(value: unknown): value is DescService {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "service";
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
