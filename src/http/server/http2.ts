import http2 from "node:http2";
import { HTTP_LIMITS } from "./limits.ts";
import type { RequestListener } from "./listener.ts";

/** The HTTP/2 half of a listener; its server gets connections by the event `connection`. */
export interface Http2Half {
  readonly server: http2.Http2Server;
  /** Takes no more streams; each connection ends with its last one. */
  close(): void;
}

/** Creates the HTTP/2 half of a listener. */
export function createHttp2({ onRequest }: RequestListener): Http2Half {
  const sessions = new Set<http2.ServerHttp2Session>();
  let isClosing = false;
  const server = http2.createServer({
    maxSessionInvalidFrames: 100,
    settings: {
      maxConcurrentStreams: HTTP_LIMITS.streams,
      maxHeaderListSize: HTTP_LIMITS.url + HTTP_LIMITS.headers + 1024,
      enableConnectProtocol: false,
    },
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    watch(session);
    if (isClosing) session.close();
  });
  // Node's compatibility layer gives HTTP/2 messages the shape of HTTP/1 ones.
  const listener = onRequest as unknown as () => void;
  server.on("request", listener);
  server.on("checkContinue", listener);
  server.on("checkExpectation", listener);
  server.on("connect", listener);
  return {
    server,
    close() {
      isClosing = true;
      for (const session of sessions) session.close();
    },
  };
}

/**
 * Closes a connection on which nothing moves. A stream may be quiet because it waits for an event,
 * so while there is one, the client only has to show that it is still there.
 */
function watch(session: http2.ServerHttp2Session): void {
  let open = 0;
  session.on("stream", (stream) => {
    open += 1;
    stream.once("close", () => {
      open -= 1;
    });
  });
  const arm = () =>
    session.setTimeout(HTTP_LIMITS.idleTimeout, () => {
      if (session.destroyed) return;
      if (open === 0) {
        session.close();
        return;
      }
      const cut = setTimeout(() => session.destroy(), HTTP_LIMITS.pingTimeout);
      session.ping((fault) => {
        clearTimeout(cut);
        if (fault === null) arm();
      });
    });
  arm();
}
