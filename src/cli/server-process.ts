import cluster from "node:cluster";
import type { Logger } from "pino";
import { loadDemo } from "../../demo/load.ts";
import { startDemo } from "../../demo/start.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { IdentityIssuer } from "../auth/identity-token.ts";
import { toUrl } from "../server/address.ts";
import { startServer } from "../server.ts";
import { openStore } from "../storage/open.ts";
import { openTracing } from "../telemetry/open-tracing.ts";
import { describeDemo, describeEmpty, describeServer } from "./banner.ts";
import { collectGarbage } from "./heap.ts";
import type { ServeConfig } from "./serve-settings.ts";

const { version } = packageJson;

/** The grace period for requests in progress at shutdown, in milliseconds (contract: service 7). */
const GRACE = 10_000;

/** The delay between the start and its garbage collection, in milliseconds. */
const START_REST = 1_000;

/** Runs the service in this process, alone or as one of several workers, until SIGTERM or SIGINT. */
export async function runServer(
  config: ServeConfig,
  log: Logger,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const build = { version, node: process.version, engine: config.database.engine };
  const worker = cluster.isWorker ? (await import("./worker.ts")).joinWorkers() : undefined;
  const clock = () => new Date();
  const store = await openStore(config.database, {
    replicas: config.databaseReplicas,
    log,
  });
  const { database, demoFile } = config;
  const demo = config.demo
    ? await startDemo(store, {
        demoFile,
        clock,
        load: () => loadDemo(database, urlOfPictures(config), env),
      })
    : undefined;
  const tracing = await openTracing(env, log);
  const server = await startServer({
    ...config,
    tracing,
    store,
    build,
    log,
    clock,
    ...(demo && { endpoints: demo.endpoints, localTargets: demo.receiver.localTargets }),
    ...(worker && { sharedMetrics: worker.metrics }),
    identityIssuers: addDemoIssuer(config.identityIssuers, demo?.identityProvider),
  });

  const { studioUrl: studio, deliveryUrl: delivery } = server;
  log.info({ ...build, studio, delivery }, "started");

  const end = async (reason: string) => {
    const start = performance.now();
    await server.close(GRACE, config.drainSeconds * 1_000);
    await demo?.receiver.close();
    await demo?.identityProvider.close();
    await store.close();
    log.info({ reason, duration_ms: Math.round(performance.now() - start) }, "stopped");
  };
  let isEnding = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      // npm forwards a signal that the whole process group has got.
      if (isEnding) return;
      isEnding = true;
      end(signal).then(
        () => process.exit(0),
        (cause) => {
          log.fatal({ err: cause }, "shutdown failed");
          process.exit(1);
        },
      );
    });
  }

  const text = describeServer(server) + ((await store.isEmpty()) ? describeEmpty(database) : "");
  if (worker === undefined) process.stdout.write(text);
  else worker.reportListening(text);
  if (demo !== undefined) {
    const content = await demo.announce(server, clock());
    process.stdout.write(describeDemo(content, demoFile, demo.receiver.url));
  }
  // Later, so that the first requests do not wait for it.
  setTimeout(collectGarbage, START_REST).unref();
}

/** Returns the URL of the demo's pictures for browsers on this machine. */
function urlOfPictures({ listen, deliveryListen = listen }: ServeConfig): string {
  const { host, port } = deliveryListen;
  return toUrl({ host: /^(0\.0\.0\.0|::)$/.test(host) ? "localhost" : host, port });
}

/** Adds the demo's issuer. The users of a sole configured issuer keep the ids that they have without the demo. */
function addDemoIssuer(
  configured: readonly IdentityIssuer[],
  demo: IdentityIssuer | undefined,
): readonly IdentityIssuer[] {
  if (demo === undefined) return configured;
  const isOnly = configured.length === 1;
  return [...configured.map((it) => ({ ...it, ...(isOnly && { isPrimary: true }) })), demo];
}
