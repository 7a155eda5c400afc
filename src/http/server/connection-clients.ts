import type { IncomingHttpHeaders } from "node:http";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { Client, FindClient } from "../../network/client.ts";
import type { NodeRequest } from "./exchange.ts";

/** Finds the clients of requests; those of a connection without X-Forwarded-For only once. */
export interface ConnectionClients {
  ofRequest(request: NodeRequest): Client;
  ofStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Client;
}

type Connection = Socket | ServerHttp2Session;

/** Creates the finder of one listener. */
export function createConnectionClients(findClient: FindClient): ConnectionClients {
  const known = new WeakMap<Connection, Client>();

  function find(connection: Connection | undefined, headers: IncomingHttpHeaders): Client {
    const forwardedFor = headers["x-forwarded-for"];
    if (connection === undefined || forwardedFor !== undefined) {
      const text = Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor;
      return findClient({ peer: connection && readPeer(connection), forwardedFor: text });
    }
    const client = known.get(connection);
    if (client !== undefined) return client;
    const found = findClient({ peer: readPeer(connection), forwardedFor: undefined });
    // The address of a closed connection is not known any more.
    if (found.address !== "") known.set(connection, found);
    return found;
  }

  return {
    ofRequest({ stream, socket, headers }) {
      return stream === undefined ? find(socket, headers) : this.ofStream(stream, headers);
    },
    ofStream: ({ session }, headers) => find(session as ServerHttp2Session | undefined, headers),
  };
}

function readPeer(connection: Connection): string | undefined {
  if (!("socket" in connection)) return connection.remoteAddress;
  return connection.destroyed ? undefined : connection.socket.remoteAddress;
}
