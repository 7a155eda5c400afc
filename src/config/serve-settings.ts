import { ACTION_SETTINGS } from "./actions.ts";
import { DATABASE_SETTING } from "./database.ts";
import { PLAYBACK_SETTINGS } from "./playback.ts";
import type { Setting } from "./setting.ts";

/** What `--log-level` takes. */
export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;

/** How much is written to the log; each level holds those before it. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every setting with its default, in the order of `--help`. */
export const SETTINGS: readonly Setting[] = [
  {
    flag: "listen",
    kind: "string",
    fallback: "127.0.0.1:8080",
    form: "HOST:PORT",
    help: "where both interfaces answer; port 0 is any free port",
  },
  {
    flag: "studio-listen",
    kind: "string",
    form: "HOST:PORT",
    help: "where the management interface answers instead",
  },
  {
    flag: "delivery-listen",
    kind: "string",
    form: "HOST:PORT",
    help: "where the delivery interface answers instead",
  },
  DATABASE_SETTING,
  {
    flag: "demo",
    kind: "boolean",
    form: "",
    help: "load the demo organization into an empty database and write its credentials",
  },
  {
    flag: "demo-file",
    kind: "string",
    fallback: "data/demo.json",
    form: "PATH",
    help: "where the demo's credentials are written",
  },
  {
    flag: "identity-issuers",
    kind: "string",
    fallback: "",
    form: "ISSUER=JWKS_URL,…",
    help: "the third parties whose identity tokens are exchanged, and where their keys lie",
  },
  {
    flag: "primary-issuer",
    kind: "string",
    form: "ISSUER",
    help: "of several issuers, the one whose users keep their sub as user id",
  },
  {
    flag: "no-reflection",
    kind: "boolean",
    form: "",
    help: "turn gRPC server reflection off",
  },
  {
    flag: "cache-mib",
    kind: "string",
    fallback: "64",
    form: "N",
    help: "how much memory kept answers of delivery may take, in MiB; 0 keeps none",
  },
  {
    flag: "trusted-proxies",
    kind: "string",
    fallback: "",
    form: "CIDR,…",
    help: "the networks of proxies whose X-Forwarded-For and place headers are believed",
  },
  {
    flag: "country-database",
    kind: "string",
    form: "FILE",
    help: "where the countries of addresses are looked up, in MaxMind's format",
  },
  {
    flag: "country-header",
    kind: "string",
    form: "NAME",
    help: "the request header in which a trusted proxy gives the viewer's country",
  },
  {
    flag: "anonymous-ip-database",
    kind: "string",
    form: "FILE",
    help: "where addresses of VPNs and the like are looked up, in MaxMind's format",
  },
  {
    flag: "vpn-header",
    kind: "string",
    form: "NAME",
    help: "the request header in which a trusted proxy tells of a VPN: true or false, 1 or 0",
  },
  ...PLAYBACK_SETTINGS,
  ...ACTION_SETTINGS,
  {
    flag: "log-level",
    kind: "string",
    fallback: "info",
    form: LOG_LEVELS.join("|"),
    help: "what is written to the log, on standard error",
  },
];
