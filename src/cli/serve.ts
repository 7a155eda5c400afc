import cluster from "node:cluster";
import { once } from "node:events";
import net from "node:net";
import type { Address } from "../server/address.ts";
import { openLog } from "../telemetry/open-log.ts";
import type { ServeConfig } from "./serve-settings.ts";

/** Runs the service, in several processes if so configured, until SIGTERM or SIGINT. */
export async function serve(settings: ServeConfig, env: NodeJS.ProcessEnv): Promise<void> {
  const config = cluster.isPrimary ? await checkAddresses(settings) : settings;
  const log = openLog(config.logLevel, config.logFormat);
  if (config.workers > 1 && cluster.isPrimary) {
    const { runWorkers } = await import("./workers.ts");
    await runWorkers(config.workers, log);
  } else {
    const { runServer } = await import("./server-process.ts");
    await runServer(config, log, env);
  }
}

/**
 * Listens for a moment, so that a start on a taken port creates no database. With the demo, a port 0 of the Delivery API
 * becomes the free port that was found, because the demo's records contain the URL of their pictures.
 */
async function checkAddresses(config: ServeConfig): Promise<ServeConfig> {
  const { listen, studioListen, deliveryListen = listen, workers } = config;
  const servers: net.Server[] = [];
  const ports = new Map<Address, number>();
  try {
    for (const address of new Set([studioListen ?? listen, deliveryListen])) {
      const server = net.createServer().listen({ ...address, reusePort: workers > 1 });
      servers.push(server);
      await once(server, "listening");
      ports.set(address, (server.address() as net.AddressInfo).port);
    }
    if (!config.demo) return config;
    const chosen = { ...deliveryListen, port: ports.get(deliveryListen) ?? deliveryListen.port };
    return deliveryListen === listen
      ? { ...config, listen: chosen }
      : { ...config, deliveryListen: chosen };
  } finally {
    for (const server of servers) server.close();
  }
}
