import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

/** A balancer of HTTP/1.1 requests between processes, as an operator would configure one. */
export interface Balancer {
  readonly url: string;
  /** Requests that were sent to another process because no connection could be opened. */
  readonly retries: () => number;
  close(): void;
}

/** The interval of the readiness checks, in milliseconds. */
const CHECK_INTERVAL = 200;

/** Idle connections to a process are closed after this time, which is less than it drains, in milliseconds. */
const IDLE = 1_000;

/** A process behind the balancer. */
interface Upstream {
  readonly port: number;
  isReady: boolean;
}

/**
 * Starts a balancer that gives requests to ready processes in turn and keeps connections to them. It repeats a request
 * only if its connection could not be opened, which HTTP allows for any method.
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const upstreams: Upstream[] = ports.map((port) => ({ port, isReady: true }));
  const agent = new http.Agent({ keepAlive: true, timeout: IDLE });
  let turn = 0;
  let retries = 0;

  const choose = (without: Upstream | undefined) => {
    turn += 1;
    const ready = upstreams.filter((it) => it.isReady && it !== without);
    const known = ready.length > 0 ? ready : upstreams.filter((it) => it !== without);
    return known[turn % known.length];
  };

  async function check(upstream: Upstream): Promise<void> {
    const status = await fetch(`http://127.0.0.1:${upstream.port}/readyz`).then(
      (got) => got.status,
      () => 0,
    );
    upstream.isReady = status === 200;
  }

  function forward(
    request: http.IncomingMessage,
    body: Buffer,
    response: http.ServerResponse,
    tried?: Upstream,
  ): void {
    const upstream = choose(tried);
    const { method, url: path, headers } = request;
    const { connection: _, ...passed } = headers;
    const sent = http.request({
      ...{ agent, host: "127.0.0.1", port: upstream?.port, method, path, headers: passed },
    });
    sent.once("response", (got) => {
      const { connection: __, "keep-alive": ___, ...own } = got.headers;
      response.writeHead(got.statusCode ?? 502, own);
      got.pipe(response);
      got.once("error", () => response.destroy());
    });
    sent.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" && tried === undefined) {
        retries += 1;
        if (upstream !== undefined) upstream.isReady = false;
        forward(request, body, response, upstream);
      } else if (!response.headersSent) {
        response.writeHead(502).end(`${error.code}`);
      }
    });
    sent.end(body);
  }

  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => forward(request, Buffer.concat(chunks), response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const checking = setInterval(() => upstreams.forEach(check), CHECK_INTERVAL);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    retries: () => retries,
    close() {
      clearInterval(checking);
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
