import type { Server } from "node:http";
import net from "node:net";
import { http } from "../../network/node-http.ts";
import type { RequestListener } from "./exchange.ts";
import { createHttp2 } from "./http2.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** One port that answers HTTP/1.1 and HTTP/2 without TLS. */
export interface Listener {
  /** Listens and returns the port, which the system chooses for 0. */
  listen(options: ListenOptions): Promise<number>;
  /** Accepts requests as before, but keeps no connection alive: the last answer on each says so. */
  drain(): void;
  /**
   * Stops accepting connections, lets requests finish for at most the grace period, in milliseconds, then
   * closes the remaining connections.
   */
  close(grace: number): Promise<void>;
}

/** The address of a listener. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** True if other processes listen on the same port, and share its connections. */
  readonly reusePort: boolean;
}

/** The preface of every HTTP/2 connection (RFC 9113 3.4). */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** The interval at which a closing listener closes idle connections, in milliseconds. */
const SWEEP = 20;

/** Creates a listener. A connection that begins with the HTTP/2 preface speaks HTTP/2, any other HTTP/1.1. */
export function createListener(listener: RequestListener): Listener {
  const http1 = createHttp1(listener);
  const http2 = createHttp2(listener);
  const sockets = new Set<net.Socket>();
  const undecided = new Set<net.Socket>();

  const front = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    undecided.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      undecided.delete(socket);
    });
    socket.on("error", () => socket.destroy());
    sniff(socket, (version) => {
      undecided.delete(socket);
      (version === 2 ? http2.server : http1).emit("connection", socket);
    });
  });
  front.maxConnections = HTTP_LIMITS.connections;

  return {
    listen: (options) =>
      new Promise((resolve, reject) => {
        front.once("error", reject);
        front.listen(options, () => {
          front.off("error", reject);
          // Such as no file descriptor for another connection: existing ones continue.
          front.on("error", () => {});
          // The inner server never listens itself; this event starts its checks for slow clients.
          http1.emit("listening");
          resolve((front.address() as net.AddressInfo).port);
        });
      }),

    drain: () => http2.drain(),

    async close(grace) {
      const ended = new Promise<void>((resolve) => front.close(() => resolve()));
      for (const socket of undecided) socket.destroy();
      http2.close();
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

/** Creates the HTTP/1 server of a listener, which emits `connection` on it. */
function createHttp1(listener: RequestListener): Server {
  const server = http.createServer({
    // The limits of target and headers are checked separately later, so that each has its own answer.
    maxHeaderSize: HTTP_LIMITS.url + HTTP_LIMITS.headers + 1024,
    headersTimeout: HTTP_LIMITS.headersTimeout,
    requestTimeout: HTTP_LIMITS.requestTimeout,
    keepAliveTimeout: HTTP_LIMITS.idleTimeout,
    connectionsCheckingInterval: HTTP_LIMITS.checkInterval,
    requireHostHeader: false,
    // Marks a request without a body as read, which saves a tenth of the time of a GET.
    optimizeEmptyRequests: true,
  });
  for (const event of ["request", "checkContinue", "checkExpectation"] as const) {
    server.on(event, (request, response) => listener.onRequest(request, response));
  }
  server.on("clientError", (fault, socket) => listener.onUnreadable(fault, socket));
  server.on("connect", (_request, socket) => {
    listener.onUnreadable(new Error("CONNECT is for proxies"), socket);
  });
  return server;
}

/** Reads the first bytes until they identify the version, and puts them back. */
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
