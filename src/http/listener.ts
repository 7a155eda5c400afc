import http from "node:http";
import http2 from "node:http2";
import net from "node:net";
import type { NodeRequest, NodeResponse } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { answerUnreadable } from "./unreadable.ts";

/** Takes a request of either HTTP version. */
export type RequestListener = (request: NodeRequest, response: NodeResponse) => void;

/** One port that answers HTTP/1.1 and HTTP/2 without TLS. */
export interface Listener {
  /** Listens and returns the port, which is another than asked for if that was 0. */
  listen(host: string, port: number): Promise<number>;
  /**
   * Stops accepting, lets what is under way finish for as long as the grace allows, in
   * milliseconds, then cuts what is left.
   */
  close(grace: number): Promise<void>;
}

/** What every HTTP/2 connection starts with (RFC 9113 3.4). */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** How often a closing listener looks for connections that have become idle, in milliseconds. */
const SWEEP = 20;

/**
 * Creates a listener. A connection's first bytes tell which HTTP version it speaks: those of the
 * HTTP/2 preface, or any others.
 */
export function createListener(onRequest: RequestListener): Listener {
  const http1 = createHttp1(onRequest);
  const http2Server = createHttp2(onRequest);
  const sockets = new Set<net.Socket>();
  const sessions = new Set<http2.ServerHttp2Session>();
  http2Server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });

  const front = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    sniff(socket, (version) => (version === 2 ? http2Server : http1).emit("connection", socket));
  });
  front.maxConnections = HTTP_LIMITS.connections;

  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        front.once("error", reject);
        front.listen(port, host, () => {
          front.off("error", reject);
          // The inner server never listens itself; this event starts its watch over slow clients.
          http1.emit("listening");
          resolve((front.address() as net.AddressInfo).port);
        });
      }),

    async close(grace) {
      const ended = new Promise<void>((resolve) => front.close(() => resolve()));
      for (const session of sessions) session.close();
      http1.close();
      const sweep = setInterval(() => http1.closeIdleConnections(), SWEEP);
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, grace);
      await ended;
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}

function createHttp1(onRequest: RequestListener): http.Server {
  const server = http.createServer({
    // The limits of address and headers are checked one by one later, so that each has its answer.
    maxHeaderSize: HTTP_LIMITS.url + HTTP_LIMITS.headers + 1024,
    headersTimeout: HTTP_LIMITS.headersTimeout,
    requestTimeout: HTTP_LIMITS.requestTimeout,
    keepAliveTimeout: HTTP_LIMITS.idleTimeout,
    connectionsCheckingInterval: 1_000,
    requireHostHeader: false,
  });
  server.on("request", onRequest);
  server.on("checkContinue", onRequest);
  server.on("clientError", answerUnreadable);
  return server;
}

function createHttp2(onRequest: RequestListener): http2.Http2Server {
  const server = http2.createServer({
    maxSessionInvalidFrames: 100,
    settings: {
      maxConcurrentStreams: HTTP_LIMITS.streams,
      maxHeaderListSize: HTTP_LIMITS.url + HTTP_LIMITS.headers + 1024,
      enableConnectProtocol: false,
    },
  });
  server.on("session", (session) => {
    session.setTimeout(HTTP_LIMITS.idleTimeout, () => session.close());
  });
  // Node's compatibility layer gives HTTP/2 messages the shape of HTTP/1 ones.
  server.on("request", onRequest as unknown as Parameters<typeof server.on>[1]);
  return server;
}

/** Reads until the bytes tell the version, puts them back and hands the connection on. */
function sniff(socket: net.Socket, decide: (version: 1 | 2) => void): void {
  let seen: Uint8Array = new Uint8Array();
  const timer = setTimeout(() => socket.destroy(), HTTP_LIMITS.headersTimeout);
  socket.once("close", () => clearTimeout(timer));
  const onReadable = () => {
    const chunk = socket.read() as Uint8Array | null;
    if (chunk === null) return;
    seen = Buffer.concat([seen, chunk]);
    const known = Math.min(seen.length, PREFACE.length);
    const isPreface = PREFACE.subarray(0, known).equals(seen.subarray(0, known));
    if (isPreface && known < PREFACE.length) return;
    clearTimeout(timer);
    socket.off("readable", onReadable);
    socket.unshift(seen);
    decide(isPreface ? 2 : 1);
  };
  socket.on("readable", onReadable);
}
