import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DomainError } from "../domain/errors.ts";
import { verifyWebhook } from "../outbox/signature.ts";
import type { LocalTargets } from "../outbox/target.ts";

/** The origin that the demo's actions name; it is reserved for networks of one's own, and resolved here. */
export const RECEIVER_ORIGIN = "http://receiver.demo.internal";

/** How many deliveries are shown, and how long one may be, in bytes. */
const KEPT = 20;
const MAX_BODY = 1024 * 1024;

/** Takes what the demo's actions send, on this machine alone. */
export interface Receiver {
  /** Shows the last deliveries as JSON, the newest first. */
  readonly url: string;
  readonly localTargets: LocalTargets;
  close(): Promise<void>;
}

/** What stands behind a receiver. */
export interface ReceiverParts {
  /** Finds what the action of a run signs with; the id of a webhook is that of its run. */
  readonly findSecret: (runId: string) => Promise<string | undefined>;
  readonly clock: () => Date;
}

interface Delivery {
  readonly webhook_id: string;
  readonly time: string;
  readonly path: string;
  readonly body: unknown;
}

/**
 * Starts a receiver on a free loopback port. It takes signed POSTs, to whatever path, and answers 200 with
 * `{}`, which a Connect call takes for an empty message; 401 to what is not signed, 413 past 1 MiB.
 */
export async function startReceiver(parts: ReceiverParts): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  let host = "";
  const server = createServer((request, response) => {
    // A page that had its name resolved to this machine must not read it.
    if (request.headers.host !== host) answer(response, 421, { error: "another host" });
    else if (request.method === "GET") answer(response, 200, { deliveries });
    else receive(request, response).catch(() => response.destroy());
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (body === undefined) return answer(response, 413, { error: "too large" });
    const delivery = await verify(request, body);
    if (delivery === undefined) return answer(response, 401, { error: "not signed" });
    deliveries.unshift(delivery);
    deliveries.splice(KEPT);
    answer(response, 200, {});
  }

  async function verify({ headers, url = "" }: IncomingMessage, body: Buffer) {
    const secret = await parts.findSecret(String(headers["webhook-id"]));
    if (!secret) return undefined;
    try {
      const signed = new Headers(headers as Record<string, string>);
      const now = parts.clock();
      const { id } = verifyWebhook({ secrets: [secret], headers: signed, body, now });
      const json: unknown = JSON.parse(body.toString("utf8"));
      return { webhook_id: id, time: now.toISOString(), path: url, body: json };
    } catch (fault) {
      if (fault instanceof DomainError || fault instanceof SyntaxError) return undefined;
      throw fault;
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  return {
    url,
    localTargets: new Map([[RECEIVER_ORIGIN, url]]),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > MAX_BODY) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function answer(response: ServerResponse, status: number, body: object): void {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  response.writeHead(status, headers).end(`${JSON.stringify(body)}\n`);
}
