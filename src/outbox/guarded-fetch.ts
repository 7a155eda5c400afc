import https from "node:https";
import { isIP } from "node:net";
import { http } from "../network/node-http.ts";
import { createResolveName, type ResolveName } from "../network/resolve-name.ts";
import { checkTarget, toHost } from "./target.ts";
import { createTargetLookup } from "./target-lookup.ts";

/** The limits of a response: its bytes, and the milliseconds until its end. */
const LIMITS = { bytes: 256 * 1_024, time: 5_000 };

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
    const signal = AbortSignal.timeout(LIMITS.time);
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
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("error", fail);
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > LIMITS.bytes) sent.destroy(new Error("the response is too large"));
        });
        response.on("end", () => {
          const { statusCode: status = 0, headers: received } = response;
          const { "content-type": type = "" } = received;
          const isEmpty = status === 204 || status === 304;
          const content = isEmpty ? null : Buffer.concat(chunks);
          done(new Response(content, { status, headers: { "content-type": type } }));
        });
      });
      sent.end(body === undefined || body === null ? undefined : String(body));
    });
  };
}
