import type { IdentityIssuer } from "../auth/identity-token.ts";
import type { PlaybackLimits } from "../domain/protection/playback-limits.ts";
import { type Network, parseNetwork } from "../network/network.ts";
import type { DatabaseAddress } from "../storage/open.ts";
import { toDatabase } from "./database.ts";
import { readPlaybackLimits } from "./playback.ts";
import { LOG_LEVELS, type LogLevel, SETTINGS } from "./serve-settings.ts";
import { ConfigError, parseSettings, readerOf } from "./setting.ts";

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
  /** Whose word on where a request comes from is believed. */
  readonly trustedProxies: readonly Network[];
  /** The file in which countries of addresses are looked up. */
  readonly countryDatabase?: string;
  /** The request header that holds the viewer's country. */
  readonly countryHeader?: string;
  /** The file in which addresses of VPNs are looked up. */
  readonly anonymousIpDatabase?: string;
  /** The request header that tells whether the viewer uses a VPN. */
  readonly vpnHeader?: string;
  readonly playbackLimits: PlaybackLimits;
  /** Whether actions may reach http and the own network. */
  readonly actionsAllowPrivate: boolean;
  /** Whether this process carries out actions. */
  readonly runsActions: boolean;
  readonly logLevel: LogLevel;
}

/** Reads the settings of `serve`: a flag wins over its environment variable. Throws a ConfigError. */
export function readServeConfig(args: readonly string[], env: NodeJS.ProcessEnv): ServeConfig {
  const { values, positionals } = parseSettings(args, SETTINGS);
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
    identityIssuers: toIssuers(read.text("identity-issuers"), read.text("primary-issuer")),
    reflection: !read.flag("no-reflection"),
    cacheMib: toCacheMib(read.text("cache-mib")),
    trustedProxies: toNetworks(read.text("trusted-proxies")),
    ...optional("countryDatabase", read.text("country-database")),
    ...optional("countryHeader", toHeader("country-header", read.text("country-header"))),
    ...optional("anonymousIpDatabase", read.text("anonymous-ip-database")),
    ...optional("vpnHeader", toHeader("vpn-header", read.text("vpn-header"))),
    playbackLimits: readPlaybackLimits(read),
    actionsAllowPrivate: read.flag("actions-allow-private"),
    runsActions: !read.flag("no-actions"),
    logLevel: toLogLevel(read.text("log-level")),
  };
}

function toAddress(flag: string, text: string): Address {
  const match = /^(\[[0-9A-Fa-f:]+\]|[^:\s]+):(\d{1,5})$/.exec(text);
  const [, host = "", port = ""] = match ?? [];
  if (match === null || Number(port) > 65_535) {
    throw new ConfigError(`--${flag} takes HOST:PORT, not '${text}'`);
  }
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function toIssuers(text: string, primary: string): IdentityIssuer[] {
  const issuers = text
    .split(",")
    .filter((item) => item !== "")
    .map((item) => {
      const mark = item.indexOf("=");
      const issuer = item.slice(0, Math.max(0, mark));
      const jwksUrl = item.slice(mark + 1);
      if (!/^\S+$/.test(issuer) || !URL.canParse(jwksUrl) || !/^https?:/.test(jwksUrl)) {
        throw new ConfigError(`--identity-issuers takes ISSUER=JWKS_URL, not '${item}'`);
      }
      return { issuer, jwksUrl, ...(issuer === primary && { isPrimary: true }) };
    });
  const names = issuers.map(({ issuer }) => issuer);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new ConfigError(`--identity-issuers names '${twice}' twice`);
  }
  if (primary !== "" && !names.includes(primary)) {
    throw new ConfigError(`--primary-issuer takes one of --identity-issuers, not '${primary}'`);
  }
  return issuers;
}

function toCacheMib(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new ConfigError(`--cache-mib takes a number of MiB from 0 to 99999, not '${text}'`);
}

function toNetworks(text: string): Network[] {
  return text
    .split(",")
    .filter((item) => item.trim() !== "")
    .map((item) => {
      const network = parseNetwork(item);
      if (network !== undefined) return network;
      throw new ConfigError(
        `--trusted-proxies takes networks such as 10.0.0.0/8, not '${item.trim()}'`,
      );
    });
}

function toHeader(flag: string, text: string): string {
  if (/^[A-Za-z0-9-]{0,64}$/.test(text)) return text;
  throw new ConfigError(`--${flag} takes the name of a header, not '${text}'`);
}

/** Makes a member that is absent where its setting is empty. */
function optional<Name extends string>(name: Name, text: string): { [key in Name]?: string } {
  return text === "" ? {} : ({ [name]: text } as { [key in Name]: string });
}

function toLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text);
  if (level === undefined) {
    throw new ConfigError(`--log-level takes ${LOG_LEVELS.join(", ")}, not '${text}'`);
  }
  return level;
}
