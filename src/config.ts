import { parseArgs } from "node:util";
import type { IdentityIssuer } from "./auth/identity-token.ts";
import type { DatabaseAddress } from "./storage/open.ts";

/** A host and a port; port 0 takes any free one. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The settings of `marquee serve`, checked. */
export interface ServeConfig {
  readonly listen: Address;
  /** Present: the management interface has a listener of its own. */
  readonly studioListen?: Address;
  /** Present: the delivery interface has a listener of its own. */
  readonly deliveryListen?: Address;
  readonly database: DatabaseAddress;
  readonly demo: boolean;
  readonly demoFile: string;
  readonly identityIssuers: readonly IdentityIssuer[];
  readonly reflection: boolean;
  /** How much memory kept answers of delivery may take, in MiB; 0 keeps none. */
  readonly cacheMib: number;
  /** The request header that holds the viewer's country; absent: no country is known. */
  readonly countryHeader?: string;
  readonly logLevel: LogLevel;
}

const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;

/** How much is written to the log; each level holds those before it. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A setting that is unknown or has a bad value; its message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** A setting: its flag, `--name`; its environment variable, `MARQUEE_NAME`. */
interface Setting {
  readonly flag: string;
  readonly kind: "string" | "boolean";
  readonly fallback?: string;
  readonly form: string;
  readonly help: string;
}

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
  {
    flag: "database",
    kind: "string",
    fallback: "sqlite:data/marquee.db",
    form: "sqlite:PATH",
    help: "where the data lies",
  },
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
    flag: "country-header",
    kind: "string",
    form: "NAME",
    help: "the request header in which a trusted proxy gives the viewer's country",
  },
  {
    flag: "log-level",
    kind: "string",
    fallback: "info",
    form: LOG_LEVELS.join("|"),
    help: "what is written to the log, on standard error",
  },
];

/** Reads the settings of `serve`: a flag wins over its environment variable. Throws a ConfigError. */
export function readServeConfig(args: readonly string[], env: NodeJS.ProcessEnv): ServeConfig {
  const { values, positionals } = parse(args, SETTINGS);
  if (positionals[0] !== undefined)
    throw new ConfigError(`unexpected argument '${positionals[0]}'`);
  const read = readerOf(values, env, SETTINGS);
  const studioListen = read.text("studio-listen");
  const deliveryListen = read.text("delivery-listen");
  return {
    listen: toAddress("listen", read.text("listen")),
    ...(studioListen !== "" && { studioListen: toAddress("studio-listen", studioListen) }),
    ...(deliveryListen !== "" && { deliveryListen: toAddress("delivery-listen", deliveryListen) }),
    database: toDatabase(read.text("database")),
    demo: read.flag("demo"),
    demoFile: read.text("demo-file"),
    identityIssuers: toIssuers(read.text("identity-issuers")),
    reflection: !read.flag("no-reflection"),
    cacheMib: toCacheMib(read.text("cache-mib")),
    ...toCountryHeader(read.text("country-header")),
    logLevel: toLogLevel(read.text("log-level")),
  };
}

/** The settings of `marquee token`. */
export interface TokenConfig {
  readonly database: DatabaseAddress;
  readonly account: string;
  readonly name: string;
  /** How long a new token lasts, in days; absent: for ever. */
  readonly days?: number;
  readonly positionals: readonly string[];
}

/** Every setting of `marquee token`. */
export const TOKEN_SETTINGS: readonly Setting[] = [
  ...SETTINGS.filter((setting) => setting.flag === "database"),
  { flag: "account", kind: "string", fallback: "", form: "ID", help: "whose tokens" },
  { flag: "name", kind: "string", fallback: "", form: "TEXT", help: "what the token is for" },
  { flag: "days", kind: "string", form: "N", help: "how long it lasts; without it, for ever" },
];

/** Reads the settings of `token`. Throws a ConfigError. */
export function readTokenConfig(args: readonly string[], env: NodeJS.ProcessEnv): TokenConfig {
  const { values, positionals } = parse(args, TOKEN_SETTINGS);
  const read = readerOf(values, env, TOKEN_SETTINGS);
  const days = read.text("days");
  if (days !== "" && !/^[1-9]\d{0,4}$/.test(days)) {
    throw new ConfigError(`--days takes a number of days from 1 to 99999, not '${days}'`);
  }
  return {
    database: toDatabase(read.text("database")),
    account: read.text("account"),
    name: read.text("name"),
    ...(days !== "" && { days: Number(days) }),
    positionals,
  };
}

/** The settings of `marquee import`. */
export interface ImportConfig {
  readonly database: DatabaseAddress;
  /** A path; `-` is standard input. */
  readonly file: string;
  /** The project that fills in for a missing one, and the only one that is taken. */
  readonly projectId?: string;
  readonly isDryRun: boolean;
}

/** Every setting of `marquee import`. */
export const IMPORT_SETTINGS: readonly Setting[] = [
  ...SETTINGS.filter((setting) => setting.flag === "database"),
  {
    flag: "project",
    kind: "string",
    form: "ID",
    help: "the project of what names none; what names another is refused",
  },
  {
    flag: "dry-run",
    kind: "boolean",
    form: "",
    help: "tell what would be created, updated or left unchanged, and write nothing",
  },
];

/** Reads the settings of `import`. Throws a ConfigError. */
export function readImportConfig(args: readonly string[], env: NodeJS.ProcessEnv): ImportConfig {
  const { values, positionals } = parse(args, IMPORT_SETTINGS);
  const [file, ...others] = positionals;
  if (file === undefined) throw new ConfigError("import takes a file, or - for standard input");
  if (others[0] !== undefined) throw new ConfigError(`unexpected argument '${others[0]}'`);
  const read = readerOf(values, env, IMPORT_SETTINGS);
  const projectId = read.text("project");
  return {
    database: toDatabase(read.text("database")),
    file,
    ...(projectId !== "" && { projectId }),
    isDryRun: read.flag("dry-run"),
  };
}

/** Writes a table of settings for `--help`. */
export function describeSettings(settings: readonly Setting[]): string {
  return settings
    .map(({ flag, form, help, fallback, kind }) => {
      const value = kind === "boolean" ? "false" : fallback || "none";
      return `  --${`${flag} ${form}`.trimEnd()}\n      ${help}\n      environment ${variableOf(flag)}, default ${value}`;
    })
    .join("\n");
}

type Values = Record<string, string | boolean | undefined>;

function parse(args: readonly string[], settings: readonly Setting[]) {
  const options = Object.fromEntries(settings.map(({ flag, kind }) => [flag, { type: kind }]));
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return { values: parsed.values as Values, positionals: parsed.positionals };
  } catch (cause) {
    const [line = ""] = (cause instanceof Error ? cause.message : String(cause)).split(/\.? To /);
    throw new ConfigError(line.split("\n")[0]);
  }
}

function readerOf(values: Values, env: NodeJS.ProcessEnv, settings: readonly Setting[]) {
  // An empty variable is what deployment files make of one that is not set.
  const raw = (flag: string) => values[flag] ?? (env[variableOf(flag)] || undefined);
  return {
    text(flag: string): string {
      const fallback = settings.find((setting) => setting.flag === flag)?.fallback ?? "";
      return String(raw(flag) ?? fallback);
    },
    flag(flag: string): boolean {
      const value = raw(flag) ?? "false";
      if (value === true || value === "true" || value === "1") return true;
      if (value === false || value === "false" || value === "0" || value === "") return false;
      throw new ConfigError(`${variableOf(flag)} takes true or false, not '${value}'`);
    },
  };
}

function variableOf(flag: string): string {
  return `MARQUEE_${flag.replaceAll("-", "_").toUpperCase()}`;
}

function toAddress(flag: string, text: string): Address {
  const match = /^(\[[0-9A-Fa-f:]+\]|[^:\s]+):(\d{1,5})$/.exec(text);
  const [, host = "", port = ""] = match ?? [];
  if (match === null || Number(port) > 65_535) {
    throw new ConfigError(`--${flag} takes HOST:PORT, not '${text}'`);
  }
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function toDatabase(text: string): DatabaseAddress {
  const path = text.startsWith("sqlite:") ? text.slice("sqlite:".length) : "";
  if (path !== "") return { engine: "sqlite", path };
  throw new ConfigError(`--database takes sqlite:PATH, not '${text}'`);
}

function toIssuers(text: string): IdentityIssuer[] {
  return text
    .split(",")
    .filter((item) => item !== "")
    .map((item) => {
      const mark = item.indexOf("=");
      const issuer = item.slice(0, mark);
      const jwksUrl = item.slice(mark + 1);
      if (mark <= 0 || !URL.canParse(jwksUrl) || !/^https?:/.test(jwksUrl)) {
        throw new ConfigError(`--identity-issuers takes ISSUER=JWKS_URL, not '${item}'`);
      }
      return { issuer, jwksUrl };
    });
}

function toCacheMib(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new ConfigError(`--cache-mib takes a number of MiB from 0 to 99999, not '${text}'`);
}

function toCountryHeader(text: string): { countryHeader?: string } {
  if (text === "") return {};
  if (/^[A-Za-z0-9-]{1,64}$/.test(text)) return { countryHeader: text };
  throw new ConfigError(`--country-header takes the name of a header, not '${text}'`);
}

function toLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text);
  if (level === undefined) {
    throw new ConfigError(`--log-level takes ${LOG_LEVELS.join(", ")}, not '${text}'`);
  }
  return level;
}
