import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy in front of a server that can swallow bytes as a network that lost its way does. */
export interface HalfOpenProxy {
  readonly port: number;
  /** From now on no byte passes in either direction; connections are accepted and stay open. */
  swallow(): void;
  /** Lets new connections pass; those that lost bytes never get another one. */
  pass(): void;
  close(): void;
}

/** Starts a proxy in front of a socket of the file system. */
export async function startHalfOpenProxy(path: string): Promise<HalfOpenProxy> {
  const sockets = new Set<Socket>();
  let isSwallowing = false;

  const server = createServer((client) => {
    hold(client);
    if (isSwallowing) return;
    const upstream = connect(path);
    hold(upstream);
    client.pipe(upstream);
    upstream.pipe(client);
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
  });

  function hold(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    if (isSwallowing) socket.resume();
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
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
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
