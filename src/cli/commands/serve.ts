import cluster from "node:cluster";
import { once } from "node:events";
import net from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Logger } from "pino";
import packageJson from "../../../package.json" with { type: "json" };
import type { IdentityIssuer } from "../../auth/identity-token.ts";
import { DEFAULT_PLAYBACK_LIMITS } from "../../domain/protection/playback-limits.ts";
import type { Address } from "../../http/listener/listener.ts";
import type { Server } from "../../server.ts";
import type { Store } from "../../storage/contract/store.ts";
import { openStore } from "../../storage/open.ts";
import { command } from "../command.ts";
import { DATABASE, nameDatabase } from "../database.ts";
import { ConfigError, type ConfigOf, quote, type SettingTable } from "../setting.ts";
import {
  oneOf,
  toAddress,
  toHeader,
  toIssuers,
  toNetworks,
  toNumber,
  toOptionalAddress,
  toOptionalText,
  toOrigins,
  toReplicas,
  toStudioUrl,
} from "../setting-values.ts";
import { joinWorkers, runWorkers } from "../workers.ts";

/** The grace period for requests in progress at shutdown, in milliseconds (contract: service 7). */
const GRACE = 10_000;

/** The delay between the start and its garbage collection, in milliseconds. */
const START_REST = 1_000;

const SETTINGS = {
  listen: {
    heading: "Listeners and database:",
    form: "HOST:PORT",
    fallback: "127.0.0.1:8080",
    help: "address of both APIs; port 0 takes any free port",
    parse: toAddress,
  },
  "studio-listen": {
    form: "HOST:PORT",
    help: "separate address for the Studio API",
    parse: toOptionalAddress,
  },
  "delivery-listen": {
    form: "HOST:PORT",
    help: "separate address for the Delivery API",
    parse: toOptionalAddress,
  },
  database: DATABASE,
  "database-replica": {
    isList: true,
    form: "ADDRESS",
    help: "PostgreSQL replica for reads of the Delivery API; may be repeated",
    parse: toReplicas,
  },
  workers: {
    form: "N",
    fallback: "1",
    help: "processes that share the ports; each has its own cache",
    parse: toNumber(1, 64),
  },
  "drain-seconds": {
    form: "N",
    fallback: "0",
    help: "seconds after SIGTERM with /readyz at 503 while requests are accepted",
    parse: toNumber(0, 3_600),
  },
  "studio-origins": {
    heading: "Browsers, tools and demo:",
    isList: true,
    form: "ORIGIN",
    help: "web origin that may call the Studio API, or * for all; may be repeated",
    parse: toOrigins,
  },
  "studio-url": {
    form: "URL",
    help: "URL of the Studio API for browsers that sign in; needed behind a proxy",
    parse: toStudioUrl,
  },
  studio: { help: "serve /studio, for editors; the demo always has it" },
  "no-reflection": {
    help: "turn off gRPC reflection, /schema.binpb, /openapi.json and /reference",
  },
  demo: { help: "load the demo into an empty database and write its credentials" },
  "demo-file": {
    form: "PATH",
    fallback: "data/demo.json",
    help: "file for the demo's credentials",
  },
  "demo-goals": {
    form: "SECONDS",
    fallback: "0",
    help: "seconds between the goals of a match of the demo; 0 is off",
    parse: toNumber(0, 3_600),
  },
  "identity-issuers": {
    heading: "Viewers and playback:",
    form: "ISSUER=URL,…",
    help: "trusted identity providers, with the URLs of their key sets",
    parse: toIssuers,
  },
  "primary-issuer": {
    form: "ISSUER",
    help: "issuer whose users keep their sub as user id, if there are several",
  },
  "playlist-ttl": {
    form: "SECONDS",
    fallback: String(DEFAULT_PLAYBACK_LIMITS.playlistTtl / 1_000),
    help: "lifetime of a signed playlist URL, more than --keep-alive",
    parse: toNumber(10, 604_800),
  },
  "keep-alive": {
    form: "SECONDS",
    fallback: String(DEFAULT_PLAYBACK_LIMITS.keepAliveInterval / 1_000),
    help: "interval of keep-alive calls; a stream ends after three without one",
    parse: toNumber(5, 3_600),
  },
  "max-streams": {
    form: "N",
    fallback: String(DEFAULT_PLAYBACK_LIMITS.maxStreams),
    help: "concurrent streams of a viewer, unless an offer sets another number",
    parse: toNumber(1, 1_000),
  },
  "trusted-proxies": {
    heading: "Proxies and viewer location:",
    form: "CIDR,…",
    help: "proxies whose X-Forwarded-For and location headers are trusted",
    parse: toNetworks,
  },
  "country-header": {
    form: "NAME",
    help: "header of a trusted proxy with the viewer's country",
    parse: toHeader,
  },
  "country-database": {
    form: "FILE",
    help: "countries of IP addresses, in MaxMind's format",
    parse: toOptionalText,
  },
  "vpn-header": {
    form: "NAME",
    help: "header of a trusted proxy that reports a VPN: true or false, 1 or 0",
    parse: toHeader,
  },
  "anonymous-ip-database": {
    form: "FILE",
    help: "IP addresses of VPNs and proxies, in MaxMind's format",
    parse: toOptionalText,
  },
  "cache-mib": {
    heading: "Limits:",
    form: "N",
    fallback: "64",
    help: "memory for cached Delivery API responses, in MiB; 0 is off",
    parse: toNumber(0, 99_999, " of MiB"),
  },
  "max-requests": {
    form: "N",
    fallback: "1000",
    help: "maximum requests in progress per process, three quarters of them of one organization; more get 503",
    parse: toNumber(1, 99_999),
  },
  "max-waiting": {
    form: "N",
    fallback: "2000",
    help: "maximum reads that wait for a change; more return at once",
    parse: toNumber(0, 99_999),
  },
  "unread-mib": {
    form: "N",
    fallback: "256",
    help: "memory for responses that clients have not read, in MiB",
    parse: toNumber(16, 99_999, " of MiB"),
  },
  "rate-per-credential": {
    form: "N",
    fallback: "0",
    help: "requests per minute per key or token; 0 is unlimited",
    parse: toNumber(0, 9_999_999),
  },
  "rate-per-address": {
    form: "N",
    fallback: "0",
    help: "requests per minute per IPv4 address or IPv6 /64; 0 is unlimited",
    parse: toNumber(0, 9_999_999),
  },
  "history-days": {
    heading: "History:",
    form: "DAYS",
    fallback: "90",
    help: "retention of changes; the 20 newest of a resource: a year or more",
    parse: toNumber(1, 3_650),
  },
  "history-mib": {
    form: "MIB",
    fallback: "1024",
    help: "the most changes of a project that are kept, in MiB",
    parse: toNumber(1, 1_048_576),
  },
  "audit-days": {
    form: "DAYS",
    fallback: "0",
    help: "retention of audit entries; 0 keeps all",
    parse: toNumber(0, 36_500),
  },
  "run-days": {
    form: "DAYS",
    fallback: "30",
    help: "retention of ended runs of actions and webhooks",
    parse: toNumber(1, 3_650),
  },
  "no-background-work": {
    heading: "Background work:",
    help: "turn off runs, scheduled releases and deletion of expired data",
  },
  "actions-allow-private": {
    help: "let actions and webhooks call http and private networks: development",
  },
  "log-level": {
    heading: "Log:",
    form: "LEVEL",
    fallback: "info",
    help: "silent, error, warn, info or debug, on standard error",
    ...oneOf(["silent", "error", "warn", "info", "debug"]),
  },
  "log-format": {
    form: "FORMAT",
    fallback: "auto",
    help: "json, pretty (for a terminal) or auto",
    ...oneOf(["auto", "json", "pretty"]),
  },
} as const satisfies SettingTable;

/** Runs the service, in several processes if so configured, until SIGTERM or SIGINT. */
export const SERVE = command({
  summary: "run the service",
  settings: SETTINGS,
  examples: [
    ["serve --demo", "try it with the demo's data"],
    ["serve --database sqlite:data/acme.db --listen 0.0.0.0:8080", "serve one machine"],
    ["serve --database postgres://marquee@db/marquee --workers 2", "serve from PostgreSQL"],
  ],
  check: checkServe,
  async run(settings, _, env) {
    limitHeap();
    const { openLog } = await import("../../telemetry/open-log.ts");
    const config = cluster.isPrimary ? await checkAddresses(settings) : settings;
    const log = openLog(config.logLevel, config.logFormat);
    if (config.workers > 1 && cluster.isPrimary) await runWorkers(config.workers, log);
    else await runServer(config, log, env);
  },
});

/** The checked settings of `marquee serve`. */
type ServeConfig = ReturnType<typeof checkServe>;

/** Checks the settings against each other, and groups them for the server. Throws a ConfigError. */
function checkServe(config: ConfigOf<typeof SETTINGS>) {
  const { keepAlive, maxStreams, playlistTtl, ratePerAddress, ratePerCredential } = config;
  const { trustedProxies, countryHeader, vpnHeader, countryDatabase, anonymousIpDatabase } = config;
  if (playlistTtl <= keepAlive) {
    throw new ConfigError(
      "--playlist-ttl must be more than --keep-alive, because keep-alive calls sign URLs again",
    );
  }
  if (config.databaseReplica.length > 0 && config.database.engine === "sqlite") {
    throw new ConfigError("--database-replica needs a --database in PostgreSQL");
  }
  if (config.demoGoals > 0 && !config.demo) throw new ConfigError("--demo-goals needs --demo");
  if (config.workers > 1) {
    if (config.demo) {
      throw new ConfigError("--demo must not be used with --workers: the demo runs in one process");
    }
    const addresses = [config.listen, config.studioListen, config.deliveryListen];
    if (addresses.some((address) => address?.port === 0)) {
      throw new ConfigError("--workers share a port, so it must not be 0");
    }
  }
  return {
    ...config,
    studio: config.studio || config.demo,
    reflection: !config.noReflection,
    runsActions: !config.noBackgroundWork,
    identityIssuers: markPrimary(config.identityIssuers, config.primaryIssuer),
    location: { trustedProxies, countryHeader, vpnHeader, countryDatabase, anonymousIpDatabase },
    limits: {
      ...config,
      rateQuotas: { perAddress: ratePerAddress, perCredential: ratePerCredential },
    },
    retention: config,
    playbackLimits: {
      maxStreams,
      keepAliveInterval: keepAlive * 1_000,
      playlistTtl: playlistTtl * 1_000,
    },
  };
}

function markPrimary(issuers: readonly IdentityIssuer[], primary: string): IdentityIssuer[] {
  if (primary !== "" && !issuers.some(({ issuer }) => issuer === primary)) {
    throw new ConfigError(`--primary-issuer must be one of --identity-issuers${quote(primary)}`);
  }
  return issuers.map((it) => ({ ...it, ...(it.issuer === primary && { isPrimary: true }) }));
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

/** Runs the service in this process, alone or as one of several workers, until SIGTERM or SIGINT. */
async function runServer(config: ServeConfig, log: Logger, env: NodeJS.ProcessEnv): Promise<void> {
  const { startServer } = await import("../../server.ts");
  const { openTracing } = await import("../../telemetry/open-tracing.ts");
  const { INIT_COMMAND } = await import("../../http/endpoints/start-page.ts");
  const { database, databaseReplica: replicas } = config;
  const build = { version: packageJson.version, node: process.version, engine: database.engine };
  const worker = cluster.isWorker ? joinWorkers() : undefined;
  const store = await openStore(database, { replicas, log });
  const demo = config.demo ? await startDemo(config, store, env) : undefined;
  const tracing = await openTracing(env, log);
  const options = {
    ...{ ...config, tracing, store, build, log },
    ...(worker && { sharedMetrics: worker.metrics }),
  };
  const server = await startServer(demo?.extend(options) ?? options);
  const { studioUrl: studio, deliveryUrl: delivery } = server;
  log.info({ ...build, studio, delivery }, "started");
  endOnSignal(log, async () => {
    await server.close(GRACE, config.drainSeconds * 1_000);
    await demo?.close();
    await store.close();
  });

  const notLoaded = config.demo && demo === undefined ? DEMO_NOT_LOADED : "";
  const init = `${INIT_COMMAND} --database '${nameDatabase(database)}'`;
  const hint = (await store.isEmpty()) ? describeEmpty(init) : notLoaded;
  const text = describeServer(server) + hint;
  if (worker === undefined) process.stdout.write(text);
  else worker.reportListening(text);
  if (demo !== undefined) process.stdout.write(await demo.announce(server, new Date()));
  // Later, so that the first requests do not wait for it.
  setTimeout(collectGarbage, START_REST).unref();
}

/** Starts the demo; undefined if the database contains other data. */
async function startDemo(
  { database, demoFile, demoGoals, listen, deliveryListen: delivery = listen }: ServeConfig,
  store: Store,
  env: NodeJS.ProcessEnv,
) {
  const demo = await import("../../../demo/start.ts");
  return demo.startDemo(store, { database, delivery, demoFile, demoGoals, env });
}

/** Describes the URLs of a server: its APIs and its pages for browsers. */
function describeServer({ studioUrl, deliveryUrl, pages }: Server): string {
  const urls = [
    ["Studio API", studioUrl],
    ["Delivery API", deliveryUrl],
    ...pages.map(({ title, path }) => [title, studioUrl + path]),
  ];
  const lines = urls.map(([title = "", url]) => `  ${title.padEnd(12)}  ${url}\n`);
  return `Marquee is ready.\n${lines.join("")}`;
}

function describeEmpty(init: string): string {
  return `
The database is empty. Create an organization and the access token of its owner
  ${init}

`;
}

/** Says that `--demo` changed nothing, and how to have the demo. */
const DEMO_NOT_LOADED = `
The demo is not loaded: the database contains other data. Name a new one, such as --database sqlite:data/demo.db

`;

/**
 * Keeps the heap small under load. The npm scripts start Node with 4 MiB for new objects. V8 would let this space
 * grow to 128 MiB, which saves no time in benchmarks. Its minimum, 1 MiB, is too small: a collection every hundred
 * cached responses. V8 would also let the other spaces grow to several times their used size, with the bodies of
 * old responses.
 */
function limitHeap(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=50");
}

/**
 * Collects all garbage and returns its memory to the system; otherwise V8 keeps the memory of the start until
 * the heap has grown.
 */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: NonNullable<typeof gc> = runInNewContext("gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** Ends the process at the first SIGTERM or SIGINT, once `close` has ended: with 0, or with 1 if it fails. */
function endOnSignal(log: Logger, close: () => Promise<void>): void {
  let isEnding = false;
  for (const reason of ["SIGTERM", "SIGINT"] as const) {
    process.on(reason, async () => {
      // npm forwards a signal that the whole process group has got.
      if (isEnding) return;
      isEnding = true;
      log.info({ reason }, "stopping");
      const start = performance.now();
      try {
        await close();
      } catch (cause) {
        log.fatal({ err: cause }, "shutdown failed");
        process.exit(1);
      }
      log.info({ reason, duration_ms: Math.round(performance.now() - start) }, "stopped");
      process.exit(0);
    });
  }
}
