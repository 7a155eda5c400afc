import type { Http2Session } from "node:http2";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Client, FindClient } from "../../network/client.ts";
import type { Exchange, NodeRequest } from "./exchange.ts";

/** What is known of a connection. */
interface Known {
  /** The client of its requests without X-Forwarded-For. */
  client?: Client;
  /** Its last request. */
  latest?: Exchange;
}

/** The connections of one listener: their clients, each found only once, and their last requests. */
export class Connections {
  readonly #findClient: FindClient;
  readonly #known = new WeakMap<object, Known>();

  constructor(findClient: FindClient) {
    this.#findClient = findClient;
  }

  /** Returns the client of a request. */
  findClient({ stream, socket, headers }: NodeRequest): Client {
    const connection = stream === undefined ? socket : stream.session;
    const forwardedFor = headers["x-forwarded-for"];
    if (connection === undefined || forwardedFor !== undefined) {
      const text = Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor;
      return this.#findClient({ peer: connection && readPeer(connection), forwardedFor: text });
    }
    const known = this.#open(connection);
    if (known.client !== undefined) return known.client;
    const client = this.#findClient({ peer: readPeer(connection), forwardedFor: undefined });
    // The address of a closed connection is not known any more.
    if (client.address !== "") known.client = client;
    return client;
  }

  /** Records the last request of an HTTP/1 connection. */
  setLatest(exchange: Exchange): void {
    this.#open(exchange.request.socket).latest = exchange;
  }

  /** Returns the last request of an HTTP/1 connection. */
  findLatest(socket: Duplex): Exchange | undefined {
    return this.#known.get(socket)?.latest;
  }

  #open(connection: object): Known {
    let known = this.#known.get(connection);
    if (known === undefined) {
      known = {};
      this.#known.set(connection, known);
    }
    return known;
  }
}

function readPeer(connection: Http2Session | Socket): string | undefined {
  if (!("socket" in connection)) return connection.remoteAddress;
  return connection.destroyed ? undefined : connection.socket.remoteAddress;
}
