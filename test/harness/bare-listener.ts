import { Exchange } from "../../src/http/listener/exchange.ts";
import { Listener } from "../../src/http/listener/listener.ts";
import { RequestLoad } from "../../src/http/listener/request-load.ts";
import { RequestMetrics } from "../../src/http/listener/request-metrics.ts";
import { sendResponse } from "../../src/http/listener/send.ts";
import type { UnreadResponses } from "../../src/http/listener/unread-responses.ts";

/** What a listener of its own gives to requests. */
export interface BareListenerOptions {
  readonly unread: UnreadResponses;
  respond(exchange: Exchange): unknown;
  /** Receives each finished response, and whether it was sent whole. */
  onClose(url: string, isSent: boolean): void;
}

/** Sends a successful response. */
export function sendBody(exchange: Exchange, body: Uint8Array): void {
  sendResponse(exchange, { status: 200, headers: {}, body });
}

/** Starts a listener without a service behind it. */
export async function startBareListener({ unread, respond, onClose }: BareListenerOptions) {
  const listener = new Listener({
    keepsAlive: true,
    onRequest(request, response) {
      const { url = "" } = request;
      response.on("error", () => {});
      response.once("close", () => onClose(url, response.writableFinished));
      const exchange = new Exchange(request, response, {
        clock: () => new Date(),
        findClient: () => ({ address: "", trustsHeaders: false }),
        unread,
        cors: () => ({}),
        load: new RequestLoad(1),
        requests: new RequestMetrics(),
      });
      respond(exchange);
    },
    onUnreadable: (_error, socket) => void socket.destroy(),
  });
  const port = await listener.listen({ host: "127.0.0.1", port: 0 });
  return { port, close: () => listener.close(0) };
}
