import http2 from "node:http2";
import type { RequestListener } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** The HTTP/2 server of a listener, which emits `connection` on it. */
export interface Http2Server {
  readonly server: http2.Http2Server;
  /** Accepts no more streams on existing connections, and one stream on each new one. */
  drain(): void;
  /** Accepts no more streams; each connection is closed after its last one. */
  close(): void;
}

/** Creates the HTTP/2 server of a listener. */
export function createHttp2({ onRequest, onStream }: RequestListener): Http2Server {
  const sessions = new Set<http2.ServerHttp2Session>();
  let isDraining = false;
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
    else if (isDraining) session.once("stream", () => session.close());
  });
  const messages = createMessages(onRequest);
  server.on("stream", (stream, headers, flags, rawHeaders) => {
    const { ":method": method, ":path": url } = headers;
    const head = { method, url, httpVersion: "2.0", headers, rawHeaders } as const;
    onStream(stream, head, () => {
      messages.emit("stream", stream, headers, flags, rawHeaders);
      // The end of an empty body may have passed by before there was a message to hear of it.
      if (stream.readableEnded) stream.emit("end");
    });
  });
  return {
    server,
    drain() {
      isDraining = true;
      for (const session of sessions) session.close();
    },
    close() {
      isClosing = true;
      for (const session of sessions) session.close();
    },
  };
}

/**
 * Creates a server without connections: Node's compatibility layer in it gives the streams that it receives the
 * interface of HTTP/1 messages, which takes as long as to answer one from the cache.
 */
function createMessages(onRequest: RequestListener["onRequest"]): http2.Http2Server {
  const server = http2.createServer();
  const listener = onRequest as () => void;
  server.on("request", listener);
  server.on("checkContinue", listener);
  server.on("checkExpectation", listener);
  server.on("connect", listener);
  return server;
}

/**
 * Closes idle connections. A stream may be quiet while it waits for an event, so while one is open the client
 * only has to answer pings.
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
