import cluster from "node:cluster";
import { openLog } from "../log/open-log.ts";
import type { ServeConfig } from "./serve-settings.ts";

/** Runs the service, in several processes if so configured, until SIGTERM or SIGINT. */
export async function serve(config: ServeConfig, env: NodeJS.ProcessEnv): Promise<void> {
  const log = openLog(config.logLevel, config.logFormat);
  if (config.workers > 1 && cluster.isPrimary) {
    const { runWorkers } = await import("./workers.ts");
    await runWorkers(config.workers, log);
  } else {
    const { runServer } = await import("./server-process.ts");
    await runServer(config, log, env);
  }
}
