import cluster from "node:cluster";
import { once } from "node:events";
import net from "node:net";
import { openLog } from "../log/open-log.ts";
import type { ServeConfig } from "./serve-settings.ts";

/** Runs the service, in several processes if so configured, until SIGTERM or SIGINT. */
export async function serve(config: ServeConfig, env: NodeJS.ProcessEnv): Promise<void> {
  if (cluster.isPrimary) await checkAddresses(config);
  const log = openLog(config.logLevel, config.logFormat);
  if (config.workers > 1 && cluster.isPrimary) {
    const { runWorkers } = await import("./workers.ts");
    await runWorkers(config.workers, log);
  } else {
    const { runServer } = await import("./server-process.ts");
    await runServer(config, log, env);
  }
}

/** Listens for a moment, so that a start on a taken port creates no database. */
async function checkAddresses({
  listen,
  studioListen,
  deliveryListen,
  workers,
}: ServeConfig): Promise<void> {
  const addresses = [studioListen ?? listen, deliveryListen ?? listen];
  const servers: net.Server[] = [];
  try {
    for (const address of new Set(addresses)) {
      const server = net.createServer().listen({ ...address, reusePort: workers > 1 });
      servers.push(server);
      await once(server, "listening");
    }
  } finally {
    for (const server of servers) server.close();
  }
}
