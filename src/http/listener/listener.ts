import type { Server } from "node:http";
import http2, { type Http2Server, type ServerHttp2Session } from "node:http2";
import net, { type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { http } from "../../network/http.ts";
import type { NodeRequest, NodeResponse } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** Receives the requests of a listener. */
export interface RequestListener {
  /** False when the listener drains or closes: the last response on each connection then says so. Initially true. */
  keepsAlive: boolean;
  /** Receives a request of either HTTP version. */
  onRequest(request: NodeRequest, response: NodeResponse): void;
  /** Receives an HTTP/1 connection with an unreadable request; may be called several times for a connection. */
  onUnreadable(error: ParseError, socket: Duplex): void;
}

/** An error of the HTTP/1 parser, as Node reports it. */
export type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array };

/** A host and a port; port 0 takes any free port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Returns the URL of a listener. */
export function toUrl({ host, port }: Address): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The interval between checks for idle connections of a closing listener, in milliseconds. */
const SWEEP = 20;

/**
 * One port that serves HTTP/1.1 and HTTP/2 without TLS: a connection that begins with the HTTP/2 preface speaks HTTP/2,
 * any other HTTP/1.1.
 */
export class Listener {
  readonly #requests: RequestListener;
  readonly #front: net.Server;
  readonly #http1: Server;
  readonly #http2: Http2Server;
  readonly #sockets = new Set<Socket>();
  /** The connections whose version is not known yet. */
  readonly #undecided = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #isClosing = false;

  constructor(requests: RequestListener) {
    this.#requests = requests;
    this.#http1 = createHttp1(requests);
    this.#http2 = createHttp2(requests);
    this.#http2.on("session", (session) => this.#watch(session));
    this.#front = net.createServer({ noDelay: true }, (socket) => this.#accept(socket));
    this.#front.maxConnections = HTTP_LIMITS.connections;
  }

  /** Listens and returns the port. True for `reusePort` lets other processes listen on it and share its connections. */
  listen(address: Address, reusePort = false): Promise<number> {
    const front = this.#front;
    return new Promise((resolve, reject) => {
      front.once("error", reject);
      front.listen({ ...address, reusePort }, () => {
        front.off("error", reject);
        // Such as no file descriptor for another connection: existing ones continue.
        front.on("error", () => {});
        // The inner server never listens itself; this event starts its checks for slow clients.
        this.#http1.emit("listening");
        resolve((front.address() as AddressInfo).port);
      });
    });
  }

  /** Accepts requests as before, but closes each connection after its next response, which says so. */
  drain(): void {
    this.#requests.keepsAlive = false;
    for (const session of this.#sessions) session.close();
  }

  /**
   * Stops accepting connections, lets requests finish for at most the grace period, in milliseconds, then
   * closes the remaining connections.
   */
  async close(grace: number): Promise<void> {
    this.#isClosing = true;
    const ended = new Promise<void>((resolve) => this.#front.close(() => resolve()));
    for (const socket of this.#undecided) socket.destroy();
    this.drain();
    this.#http1.close();
    const sweep = setInterval(() => this.#http1.closeIdleConnections(), SWEEP);
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, grace);
    await ended;
    clearInterval(sweep);
    clearTimeout(cut);
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    this.#undecided.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#undecided.delete(socket);
    });
    socket.on("error", () => socket.destroy());
    sniff(socket, (version) => {
      this.#undecided.delete(socket);
      (version === 2 ? this.#http2 : this.#http1).emit("connection", socket);
    });
  }

  /** Closes an HTTP/2 connection when it is idle, or at the end of the listener. */
  #watch(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
    closeWhenIdle(session);
    if (this.#isClosing) session.close();
    // A draining listener accepts one stream on each new connection.
    else if (!this.#requests.keepsAlive) session.once("stream", () => session.close());
  }
}

function createHttp1(requests: RequestListener): Server {
  const server = http.createServer({
    // The limits of target and headers are checked separately later, so that each has its own response.
    maxHeaderSize: HTTP_LIMITS.url + HTTP_LIMITS.headers + 1024,
    headersTimeout: HTTP_LIMITS.headersTimeout,
    requestTimeout: HTTP_LIMITS.requestTimeout,
    keepAliveTimeout: HTTP_LIMITS.idleTimeout,
    connectionsCheckingInterval: HTTP_LIMITS.checkInterval,
    requireHostHeader: false,
    // Marks a request without a body as read, which saves a tenth of the time of a GET.
    optimizeEmptyRequests: true,
  });
  const onRequest = requests.onRequest.bind(requests);
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, onRequest);
  server.on("clientError", (error, socket) => requests.onUnreadable(error, socket));
  server.on("connect", (_request, socket) => {
    requests.onUnreadable(new Error("CONNECT is for proxies"), socket);
  });
  return server;
}

function createHttp2(requests: RequestListener): Http2Server {
  const server: Http2Server = http2.createServer({
    maxSessionInvalidFrames: 100,
    settings: {
      maxConcurrentStreams: HTTP_LIMITS.streams,
      maxHeaderListSize: HTTP_LIMITS.url + HTTP_LIMITS.headers + 1024,
      enableConnectProtocol: false,
    },
  });
  const onRequest = requests.onRequest.bind(requests);
  // `connect` is emitted for the method CONNECT, with a request and a response.
  for (const event of ["request", "checkContinue", "checkExpectation", "connect"]) {
    server.on(event, onRequest);
  }
  return server;
}

/** The preface of every HTTP/2 connection (RFC 9113 3.4). */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Reads the first bytes until they identify the version, and puts them back. */
function sniff(socket: Socket, decide: (version: 1 | 2) => void): void {
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

/**
 * Closes an idle HTTP/2 connection. A stream may be quiet while it waits for an event, so while one is open the client
 * only has to reply to pings.
 */
function closeWhenIdle(session: ServerHttp2Session): void {
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
      session.ping((error) => {
        clearTimeout(cut);
        if (error === null) arm();
      });
    });
  arm();
}
