import { randomBytes, timingSafeEqual } from "node:crypto";
import { notFound } from "../src/domain/base/errors.ts";
import type { Exchange, HttpResponse } from "../src/http/listener/exchange.ts";
import type { PathEndpoint } from "../src/server/endpoints.ts";

/** The lifetime of a link, in milliseconds. */
const LIFETIME = 15 * 60_000;

/**
 * A link that opens the studio as the owner of the demo, once and within 15 minutes.
 *
 * Its secret is a random code that only the terminal of the start shows: other users of the machine, and other sites in
 * the browser, do not have it. The token is given to this machine only, and under a name of this machine only. A site that
 * lets its own name resolve to 127.0.0.1 therefore gets none.
 */
export class DemoLink {
  readonly endpoint: PathEndpoint = ["/demo/credentials", (exchange) => this.#exchange(exchange)];
  #code = Buffer.alloc(0);
  #expireTime = 0;
  /** Of the owner; empty: the link is used. */
  #accessToken = "";

  /** Returns a link to the start page of a server; undefined if the server is not on a loopback address. */
  create(studioUrl: string, accessToken: string, now: Date): string | undefined {
    if (!isLoopbackHost(new URL(studioUrl).host)) return undefined;
    const code = randomBytes(24).toString("base64url");
    this.#code = Buffer.from(code);
    this.#expireTime = now.getTime() + LIFETIME;
    this.#accessToken = accessToken;
    return `${studioUrl}/?open=${code}`;
  }

  /** Returns the access token for the code in the header `x-demo-code`, once. */
  #exchange({ address, request, now }: Exchange): HttpResponse {
    const { host = "", "x-demo-code": given, "sec-fetch-site": site } = request.headers;
    const code = Buffer.from(String(given));
    const accessToken = this.#accessToken;
    const isKnown =
      code.length === this.#code.length &&
      timingSafeEqual(code, this.#code) &&
      now.getTime() < this.#expireTime;
    const isHere = isLoopbackAddress(address) && isLoopbackHost(host);
    const isOwnPage = site === undefined || site === "same-origin";
    if (accessToken === "" || !isKnown || !isHere || !isOwnPage) {
      throw notFound("demo_link", "open");
    }
    this.#accessToken = "";
    const headers = { "content-type": "application/json", "cache-control": "no-store" };
    return { status: 200, headers, body: Buffer.from(JSON.stringify({ accessToken })) };
  }
}

function isLoopbackAddress(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

/** Reports whether a host, with or without a port, is a name that always means this machine. */
function isLoopbackHost(host: string): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host);
}
