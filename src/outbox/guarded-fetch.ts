import https from "node:https";
import { isIP } from "node:net";
import { http } from "../network/node-http.ts";
import { readResponse } from "../network/read-response.ts";
import { createResolveName, type ResolveName } from "../network/resolve-name.ts";
import { checkTarget, createTargetLookup, toHost } from "./target.ts";

/** The time until the end of a response, in milliseconds. */
const TIME = 5_000;

/** The part of a request that is sent. */
interface GuardedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Creates a function that fetches URLs that users have chosen, and keeps them out of the private network as `createSender`
 * does. It follows no redirect, and rejects a response of more than 256 KiB or after 5 seconds.
 */
export function createGuardedFetch(
  { allowPrivate }: { readonly allowPrivate: boolean },
  resolve: ResolveName = createResolveName(),
): (url: string, request: GuardedRequest) => Promise<Response> {
  return async (text, { method, headers, body }) => {
    const url = checkTarget(text, { allowPrivate });
    const host = toHost(url);
    const signal = AbortSignal.timeout(TIME);
    const lookup = await createTargetLookup(host, resolve, { allowPrivate, signal });
    const { request } = url.protocol === "https:" ? https : http;
    return new Promise((done, fail) => {
      const options = { method, headers, lookup, signal, autoSelectFamily: true, agent: false };
      const sent = request(url, {
        ...options,
        servername: isIP(host) === 0 ? host : "",
        rejectUnauthorized: true,
      } as https.RequestOptions);
      sent.on("error", fail);
      sent.on("response", (response) => readResponse(response).then(done, fail));
      sent.end(body === undefined || body === null ? undefined : String(body));
    });
  };
}
