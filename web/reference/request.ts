import { HERE } from "../here.ts";
import type { Operation, Parameter } from "../openapi.ts";
import type { Credentials } from "./credentials.ts";

/** A request that an operation makes with the values of its form. */
export interface Request {
  readonly verb: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Reports whether an operation belongs to the Delivery API, which takes a project key. */
export function isDelivery({ operationId }: Operation): boolean {
  return operationId.startsWith("delivery.");
}

/** Makes the request of an operation from the texts of its form; an empty text omits the parameter. */
export function makeRequest(
  { path, verb, parameters, requestBody }: Operation,
  values: ReadonlyMap<Parameter, string>,
  body: string,
): Request {
  const url = new URL(HERE);
  const headers: Record<string, string> = {};
  let filled = path;
  for (const parameter of parameters) {
    const { name, schema } = parameter;
    const text = values.get(parameter) ?? "";
    if (parameter.in === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(text));
    else if (text === "") continue;
    else if (parameter.in === "header") headers[name] = text;
    else {
      const items = schema?.type === "array" ? text.split(",") : [text];
      for (const item of items) url.searchParams.append(name, item.trim());
    }
  }
  return {
    verb,
    url: `${HERE}${filled}${url.search}`,
    headers: { ...headers, ...(requestBody && { "content-type": "application/json" }) },
    ...(requestBody && { body }),
  };
}

/** Prints a request as a command line, with the variable of the credential in the guides. */
export function printCurl(operation: Operation, { verb, url, headers, body }: Request): string {
  const variable = isDelivery(operation) ? "PUBLIC_KEY" : "ACCESS_TOKEN";
  return [
    `curl${verb === "GET" ? "" : ` -X ${verb}`} ${quote(url)}`,
    `-H "Authorization: Bearer $${variable}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
  ].join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the credential that an operation takes; empty if the user has not entered it. */
export function credentialOf(operation: Operation, credentials: Credentials): string {
  return isDelivery(operation) ? credentials.projectKey : credentials.accessToken;
}
