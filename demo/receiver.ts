import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DomainError } from "../src/domain/base/errors.ts";
import { http } from "../src/network/http.ts";
import { verifyWebhook } from "../src/outbox/signature.ts";
import type { LocalTargets } from "../src/outbox/target.ts";

/** The origin in the demo's actions, on a domain reserved for private networks; an alias of the receiver. */
export const RECEIVER_ORIGIN = "http://receiver.demo.internal";

/** The number of deliveries shown, and the maximum size of one in bytes. */
const KEPT = 20;
const MAX_BODY = 1024 * 1024;

/** Receives the deliveries of the demo's actions, on this machine only. */
export interface Receiver {
  /** The URL of the latest deliveries as JSON, newest first. */
  readonly url: string;
  readonly localTargets: LocalTargets;
  close(): Promise<void>;
}

/** The dependencies of a receiver. */
export interface ReceiverParts {
  /** Finds the signing secret of the action of a run; a webhook has the id of its run. */
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
 * Starts a receiver on a free loopback port. It accepts signed POST requests to any path. It returns 200 with `{}`,
 * an empty message of a Connect call; 401 without a valid signature; 413 for more than 1 MiB.
 */
export async function startReceiver(parts: ReceiverParts): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  let host = "";
  const server = http.createServer((request, response) => {
    // Prevents DNS rebinding: a website whose name resolves to this machine must not read the deliveries.
    if (request.headers.host !== host) respond(response, 421, { error: "another host" });
    else if (request.method === "GET") respond(response, 200, { deliveries });
    else receive(request, response).catch(() => response.destroy());
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (body === undefined) return respond(response, 413, { error: "too large" });
    const delivery = await verify(request, body);
    if (delivery === undefined) return respond(response, 401, { error: "not signed" });
    deliveries.unshift(delivery);
    deliveries.splice(KEPT);
    respond(response, 200, {});
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
    } catch (error) {
      if (error instanceof DomainError || error instanceof SyntaxError) return undefined;
      throw error;
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

function respond(response: ServerResponse, status: number, body: object): void {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  response.writeHead(status, headers).end(`${JSON.stringify(body)}\n`);
}
