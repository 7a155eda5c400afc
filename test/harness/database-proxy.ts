import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";

/** A proxy in front of a PostgreSQL server, which can fail as a network does. */
export interface DatabaseProxy {
  /** The address of the database through the proxy. */
  readonly url: string;
  /** The number of connections that were forwarded. */
  connections(): number;
  /** From now on no byte passes in either direction; connections are accepted and stay open. */
  swallow(): void;
  /** Lets new connections pass; those that lost bytes never get another one. */
  pass(): void;
  /** Ends all connections, and forwards new ones to another database. */
  moveTo(url: string): void;
  close(): void;
}

/**
 * Starts a proxy in front of the database of an address, whose server listens on a socket of the file system. Every
 * byte is `delay` milliseconds on its way.
 */
export async function startDatabaseProxy(url: string, delay = 0): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  let path = toSocketPath(url);
  let isSwallowing = false;
  let connections = 0;

  const server = createServer((client) => {
    hold(client);
    if (isSwallowing) return;
    connections += 1;
    const upstream = connect(path);
    hold(upstream);
    forward(client, upstream);
    forward(upstream, client);
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
  });

  function forward(from: Socket, to: Socket): void {
    if (delay === 0) from.pipe(to);
    else from.on("data", (bytes) => setTimeout(() => to.write(bytes), delay));
  }

  function hold(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    if (isSwallowing) socket.resume();
  }

  function disconnect(): void {
    for (const socket of sockets) socket.destroy();
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { username, pathname } = parse(url);
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    connections: () => connections,
    swallow() {
      isSwallowing = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.removeAllListeners("end");
        socket.resume();
      }
    },
    pass() {
      isSwallowing = false;
    },
    moveTo(other) {
      path = toSocketPath(other);
      disconnect();
    },
    close() {
      server.close();
      disconnect();
    },
  };
}

/** Parses an address whose host is a parameter. */
function parse(url: string): URL {
  return new URL(url.replace("@/", "@host/"));
}

function toSocketPath(url: string): string {
  return join(parse(url).searchParams.get("host") ?? "", ".s.PGSQL.5432");
}
