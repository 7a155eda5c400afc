import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from "node:net";

const FIXTURES = new URL("../fixtures/webhooks/", import.meta.url);

/** A certificate for `hooks.example` and 127.0.0.1 that nobody trusts by himself. */
export const CERTIFICATE = readFileSync(new URL("hooks-example.cert.pem", FIXTURES), "utf8");
export const KEY = readFileSync(new URL("hooks-example.key.pem", FIXTURES), "utf8");

/** A receiver on a free port of this machine. */
export interface Receiver {
  readonly port: number;
  /** Its address by http at 127.0.0.1. */
  readonly url: string;
  /** How many connections it has accepted. */
  readonly connections: () => number;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** A request that has come whole. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a receiver that responds to each whole request with `respond`, over TLS if asked. */
export function startReceiver(
  respond: RequestListener,
  { tls = false, host = "127.0.0.1", port = 0 } = {},
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      requests.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
      respond(request, response);
    });
  };
  const server = tls
    ? createSecureServer({ cert: CERTIFICATE, key: KEY }, listener)
    : createServer(listener);
  return listen(server, requests, host, port);
}

/** Starts a receiver that does with each connection what it likes. */
export function startTcpReceiver(onConnection: (socket: Socket) => void): Promise<Receiver> {
  return listen(createTcpServer(onConnection), [], "127.0.0.1", 0);
}

async function listen(
  server: Server,
  requests: readonly ReceivedRequest[],
  host: string,
  wantedPort: number,
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(wantedPort, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host}:${port}`,
    connections: () => connections,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
