import type { IdentityIssuer } from "../auth/identity-token.ts";
import {
  DEFAULT_PLAYBACK_LIMITS,
  type PlaybackLimits,
} from "../domain/protection/playback-limits.ts";
import type { RateQuotas } from "../http/listener/rate-limits.ts";
import { DATABASE } from "./command-settings.ts";
import { ConfigError, type ConfigOf, quote, type SettingTable } from "./setting.ts";
import {
  oneOf,
  toAddress,
  toBoolean,
  toHeader,
  toIssuers,
  toNetworks,
  toNumber,
  toOptionalAddress,
  toOptionalText,
  toOrigins,
  toReplicas,
  toText,
} from "./setting-values.ts";

/** The levels of `--log-level`; each one includes those before it. */
export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;

/** The forms of `--log-format`. */
export const LOG_FORMATS = ["auto", "json", "pretty"] as const;

const { maxStreams, keepAliveInterval, playlistTtl } = DEFAULT_PLAYBACK_LIMITS;

/** The settings of `marquee serve`, in the order of `--help`. */
export const SERVE = {
  listen: {
    heading: "Listeners and database:",
    flag: "listen",
    form: "HOST:PORT",
    fallback: "127.0.0.1:8080",
    help: "address of both APIs; port 0 takes any free port",
    parse: toAddress,
  },
  studioListen: {
    flag: "studio-listen",
    form: "HOST:PORT",
    help: "separate address for the Studio API",
    parse: toOptionalAddress,
  },
  deliveryListen: {
    flag: "delivery-listen",
    form: "HOST:PORT",
    help: "separate address for the Delivery API",
    parse: toOptionalAddress,
  },
  database: DATABASE,
  databaseReplicas: {
    flag: "database-replica",
    isList: true,
    form: "ADDRESS",
    help: "PostgreSQL replica for reads of the Delivery API; may be repeated",
    parse: toReplicas,
  },
  workers: {
    flag: "workers",
    form: "N",
    fallback: "1",
    help: "processes that share the ports; each has its own cache",
    parse: toNumber(1, 64),
  },
  drainSeconds: {
    flag: "drain-seconds",
    form: "N",
    fallback: "0",
    help: "seconds after SIGTERM with /readyz at 503 while requests are accepted",
    parse: toNumber(0, 3_600),
  },
  studioOrigins: {
    heading: "Browsers, tools and demo:",
    flag: "studio-origins",
    isList: true,
    form: "ORIGIN",
    help: "web origin that may call the Studio API, or * for all; may be repeated",
    parse: toOrigins,
  },
  preview: {
    flag: "preview",
    help: "serve /preview, which shows pages; always on with --demo",
    parse: toBoolean,
  },
  reflection: {
    flag: "no-reflection",
    help: "turn off gRPC reflection, /schema.binpb, /openapi.json and /reference",
    parse: isUnset,
  },
  demo: {
    flag: "demo",
    help: "load the demo into an empty database and write its credentials",
    parse: toBoolean,
  },
  demoFile: {
    flag: "demo-file",
    form: "PATH",
    fallback: "data/demo.json",
    help: "file for the demo's credentials",
    parse: toText,
  },
  identityIssuers: {
    heading: "Viewers and playback:",
    flag: "identity-issuers",
    form: "ISSUER=URL,…",
    help: "trusted identity providers, with the URLs of their key sets",
    parse: toIssuers,
  },
  primaryIssuer: {
    flag: "primary-issuer",
    form: "ISSUER",
    help: "issuer whose users keep their sub as user id, if there are several",
    parse: toText,
  },
  playlistTtl: {
    flag: "playlist-ttl",
    form: "SECONDS",
    fallback: String(playlistTtl / 1_000),
    help: "lifetime of a signed playlist URL, more than --keep-alive",
    parse: toNumber(10, 604_800),
  },
  keepAlive: {
    flag: "keep-alive",
    form: "SECONDS",
    fallback: String(keepAliveInterval / 1_000),
    help: "interval of keep-alive calls; a stream ends after three without one",
    parse: toNumber(5, 3_600),
  },
  maxStreams: {
    flag: "max-streams",
    form: "N",
    fallback: String(maxStreams),
    help: "concurrent streams of a viewer, unless an offer sets another number",
    parse: toNumber(1, 1_000),
  },
  trustedProxies: {
    heading: "Proxies and viewer location:",
    flag: "trusted-proxies",
    form: "CIDR,…",
    help: "proxies whose X-Forwarded-For and location headers are trusted",
    parse: toNetworks,
  },
  countryHeader: {
    flag: "country-header",
    form: "NAME",
    help: "header of a trusted proxy with the viewer's country",
    parse: toHeader,
  },
  countryDatabase: {
    flag: "country-database",
    form: "FILE",
    help: "countries of IP addresses, in MaxMind's format",
    parse: toOptionalText,
  },
  vpnHeader: {
    flag: "vpn-header",
    form: "NAME",
    help: "header of a trusted proxy that reports a VPN: true or false, 1 or 0",
    parse: toHeader,
  },
  anonymousIpDatabase: {
    flag: "anonymous-ip-database",
    form: "FILE",
    help: "IP addresses of VPNs and proxies, in MaxMind's format",
    parse: toOptionalText,
  },
  cacheMib: {
    heading: "Limits:",
    flag: "cache-mib",
    form: "N",
    fallback: "64",
    help: "memory for cached Delivery API responses, in MiB; 0 is off",
    parse: toNumber(0, 99_999, " of MiB"),
  },
  maxRequests: {
    flag: "max-requests",
    form: "N",
    fallback: "1000",
    help: "maximum requests in progress per process; more get 503",
    parse: toNumber(1, 99_999),
  },
  unreadMib: {
    flag: "unread-mib",
    form: "N",
    fallback: "256",
    help: "memory for responses that clients have not read, in MiB",
    parse: toNumber(16, 99_999, " of MiB"),
  },
  ratePerCredential: {
    flag: "rate-per-credential",
    form: "N",
    fallback: "0",
    help: "requests per minute per key or token; 0 is unlimited",
    parse: toNumber(0, 9_999_999),
  },
  ratePerAddress: {
    flag: "rate-per-address",
    form: "N",
    fallback: "0",
    help: "requests per minute per IPv4 address or IPv6 /64; 0 is unlimited",
    parse: toNumber(0, 9_999_999),
  },
  historyDays: {
    heading: "History:",
    flag: "history-days",
    form: "DAYS",
    fallback: "90",
    help: "retention of changes; the 20 newest of a resource: a year or more",
    parse: toNumber(1, 3_650),
  },
  historyMib: {
    flag: "history-mib",
    form: "MIB",
    fallback: "1024",
    help: "the most changes of a project that are kept, in MiB",
    parse: toNumber(1, 1_048_576),
  },
  auditDays: {
    flag: "audit-days",
    form: "DAYS",
    fallback: "0",
    help: "retention of audit entries; 0 keeps all",
    parse: toNumber(0, 36_500),
  },
  runDays: {
    flag: "run-days",
    form: "DAYS",
    fallback: "30",
    help: "retention of ended runs of actions and webhooks",
    parse: toNumber(1, 3_650),
  },
  runsActions: {
    heading: "Background work:",
    flag: "no-background-work",
    help: "turn off runs, scheduled releases and deletion of expired data",
    parse: isUnset,
  },
  actionsAllowPrivate: {
    flag: "actions-allow-private",
    help: "let actions and webhooks call http and private networks: development",
    parse: toBoolean,
  },
  logLevel: {
    heading: "Log:",
    flag: "log-level",
    form: "LEVEL",
    fallback: "info",
    help: "silent, error, warn, info or debug, on standard error",
    ...oneOf(LOG_LEVELS),
  },
  logFormat: {
    flag: "log-format",
    form: "FORMAT",
    fallback: "auto",
    help: "json, pretty (for a terminal) or auto",
    ...oneOf(LOG_FORMATS),
  },
} as const satisfies SettingTable;

/** The checked settings of `marquee serve`. */
export type ServeConfig = Omit<
  ConfigOf<typeof SERVE>,
  | "keepAlive"
  | "maxStreams"
  | "playlistTtl"
  | "primaryIssuer"
  | "ratePerAddress"
  | "ratePerCredential"
> & { readonly playbackLimits: PlaybackLimits; readonly rateQuotas: RateQuotas };

/** Checks the settings of `serve` against each other. Throws a ConfigError. */
export function checkServe(config: ConfigOf<typeof SERVE>): ServeConfig {
  const { keepAlive, maxStreams: streams, playlistTtl: ttl, primaryIssuer, ...rest } = config;
  const { ratePerAddress: perAddress, ratePerCredential: perCredential, ...others } = rest;
  if (ttl <= keepAlive) {
    throw new ConfigError(
      "--playlist-ttl must be more than --keep-alive, because keep-alive calls sign URLs again",
    );
  }
  if (config.databaseReplicas.length > 0 && config.database.engine === "sqlite") {
    throw new ConfigError("--database-replica needs a --database in PostgreSQL");
  }
  if (config.workers > 1) checkWorkers(config);
  return {
    ...others,
    preview: config.preview || config.demo,
    identityIssuers: markPrimary(config.identityIssuers, primaryIssuer),
    rateQuotas: { perAddress, perCredential },
    playbackLimits: {
      maxStreams: streams,
      keepAliveInterval: keepAlive * 1_000,
      playlistTtl: ttl * 1_000,
    },
  };
}

function checkWorkers(config: ConfigOf<typeof SERVE>): void {
  const { demo, listen, studioListen, deliveryListen } = config;
  if (demo)
    throw new ConfigError("--demo must not be used with --workers: the demo runs in one process");
  if ([listen, studioListen, deliveryListen].some((address) => address?.port === 0)) {
    throw new ConfigError("--workers share a port, so it must not be 0");
  }
}

function markPrimary(issuers: readonly IdentityIssuer[], primary: string): IdentityIssuer[] {
  if (primary !== "" && !issuers.some(({ issuer }) => issuer === primary)) {
    throw new ConfigError(`--primary-issuer takes one of --identity-issuers${quote(primary)}`);
  }
  return issuers.map((it) => ({ ...it, ...(it.issuer === primary && { isPrimary: true }) }));
}

function isUnset(text: string): boolean {
  return !toBoolean(text);
}
