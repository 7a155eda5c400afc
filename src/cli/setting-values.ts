import type { IdentityIssuer } from "../auth/identity-token.ts";
import { isLoopback } from "../domain/base/loopback.ts";
import { suggestNames } from "../domain/base/text.ts";
import type { Address } from "../http/listener/listener.ts";
import { type Network, parseNetwork } from "../network/ip-address.ts";
import type { DatabaseLocation, PostgresLocation } from "../storage/open.ts";
import { ConfigError, quote } from "./setting.ts";

/** Returns a string, or undefined if it is empty. */
export function toOptionalText(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/**
 * Parses the URL of a server, without a user and a password; returns it without a slash at its end. An error does not quote
 * the URL, because it may contain a secret.
 */
export function toUrl(text: string, flag: string): string {
  const url = URL.parse(text);
  const isServer = url !== null && /^https?:$/.test(url.protocol);
  if (isServer && url.username + url.password === "") return text.replace(/\/+$/, "");
  throw new ConfigError(`--${flag} must be a URL such as https://studio.example.com`);
}

/** Parses the URL that browsers sign in at: https, or http on this machine. Undefined if it is empty. */
export function toStudioUrl(text: string, flag: string): string | undefined {
  if (text === "") return undefined;
  const { protocol, host, search, hash } = new URL(toUrl(text, flag));
  if ((protocol === "https:" || isLoopback(host)) && search + hash === "") return toUrl(text, flag);
  throw new ConfigError(`--${flag} must be https, or http on this machine, without a query`);
}

/** Parses a credential: one that no header can contain would be quoted by the error of the header. */
export function toCredential(text: string, flag: string): string {
  if (/^[!-~]+$/.test(text)) return text;
  throw new ConfigError(`--${flag} must be visible ASCII characters and no spaces`);
}

/** Parses `HOST:PORT`. */
export function toAddress(text: string, flag: string): Address {
  const match = /^(\[[0-9A-Fa-f:]+\]|[^:\s]+):(\d{1,5})$/.exec(text);
  const [, host = "", port = ""] = match ?? [];
  if (match === null || Number(port) > 65_535) {
    const example = "such as 127.0.0.1:8080 or [::]:8080";
    throw new ConfigError(`--${flag} must be HOST:PORT, ${example}${quote(text)}`);
  }
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** Parses `HOST:PORT`, or undefined if it is empty. */
export function toOptionalAddress(text: string, flag: string): Address | undefined {
  return text === "" ? undefined : toAddress(text, flag);
}

/** Creates a parser of whole numbers within limits; error messages append `unit` to "number". */
export function toNumber(least: number, most: number, unit = "") {
  return (text: string, flag: string): number => {
    const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new ConfigError(
      `--${flag} must be a number${unit} from ${least} to ${most}${quote(text)}`,
    );
  };
}

/** Describes the values of a setting that accepts one of some words. */
export function oneOf<const Word extends string>(choices: readonly Word[]) {
  return {
    choices,
    parse(text: string, flag: string): Word {
      const choice = choices.find((word) => word === text);
      if (choice !== undefined) return choice;
      throw new ConfigError(`--${flag} must be ${choices.join(", ")}${quote(text)}`);
    },
  };
}

/** Parses the connection string of a database of either engine. */
export function toDatabase(text: string, flag: string): DatabaseLocation {
  const known = `--${flag} must be sqlite:PATH or postgres://…`;
  return parsePostgres(text, flag) ?? parseSqlite(text, known);
}

/** The parameters of a connection string that a name is probably meant for. All others are passed on to pg. */
const PARAMETERS = [
  ...["application_name", "options", "prepare"],
  ...["ssl", "sslcert", "sslkey", "sslmode", "sslnegotiation", "sslrootcert"],
];

/** The values of parameters that have no others. */
const VALUES = new Map([
  ["prepare", ["true", "false"]],
  ["sslmode", ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"]],
]);

/** Parses the connection string of a PostgreSQL database; undefined for others. Its host may be missing, for a socket. */
function parsePostgres(text: string, flag: string): PostgresLocation | undefined {
  if (!/^postgres(ql)?:\/\//.test(text)) return undefined;
  const url = text.replace("@/", "@localhost/");
  if (!URL.canParse(url)) {
    const rule = "with special characters of the user and the password percent-encoded";
    throw new ConfigError(`--${flag} must be postgres://USER:PASSWORD@HOST:PORT/NAME, ${rule}`);
  }
  for (const [name, value] of new URL(url).searchParams) {
    const near = PARAMETERS.includes(name) ? "" : suggestNames(name, PARAMETERS);
    if (near !== "") throw new ConfigError(`--${flag} has an unknown parameter${near}`);
    const values = VALUES.get(name);
    if (values !== undefined && !values.includes(value)) {
      const known = values.join(", ");
      throw new ConfigError(`--${flag} has an unknown ${name} '${value}'; known: ${known}`);
    }
  }
  return { engine: "postgres", url: text };
}

/**
 * Parses the connection strings of PostgreSQL databases, separated by commas. A connection string may contain commas,
 * too.
 */
export function toReplicas(text: string, flag: string): PostgresLocation[] {
  return text
    .split(/,(?=\s*(?:[a-z]+:\/\/|$))/)
    .map((url) => url.trim())
    .filter((url) => url !== "")
    .map((url) => {
      const location = parsePostgres(url, flag);
      if (location !== undefined) return location;
      throw new ConfigError(`--${flag} must be postgres://…`);
    });
}

/** Creates a parser of a connection string that must be a file, for a command that requires one. */
export function toDatabaseFile(command: string) {
  return (text: string) => parseSqlite(text, `--database must be sqlite:PATH for ${command}`);
}

function parseSqlite(text: string, message: string) {
  const path = text.startsWith("sqlite:") ? text.slice("sqlite:".length) : "";
  // The message does not repeat the connection string, because other engines' contain passwords.
  if (path === "") throw new ConfigError(message);
  if (path.startsWith(":") || path.startsWith("file:")) {
    throw new ConfigError(
      `sqlite:PATH must be the path of a file; a database in memory may be a file in /dev/shm`,
    );
  }
  if (path.startsWith("~/")) {
    throw new ConfigError("sqlite:PATH must not begin with ~, which shells keep there; use $HOME");
  }
  return { engine: "sqlite", path } as const;
}

/** Parses `ISSUER=JWKS_URL`, separated by commas. */
export function toIssuers(text: string, flag: string): IdentityIssuer[] {
  const issuers = text
    .split(",")
    .filter((item) => item !== "")
    .map((item) => {
      const mark = item.indexOf("=");
      const issuer = item.slice(0, Math.max(0, mark));
      const jwksUrl = item.slice(mark + 1);
      if (!/^\S+$/.test(issuer) || !URL.canParse(jwksUrl) || !/^https?:/.test(jwksUrl)) {
        throw new ConfigError(`--${flag} must be ISSUER=JWKS_URL, separated by commas`);
      }
      return { issuer, jwksUrl };
    });
  const names = issuers.map(({ issuer }) => issuer);
  checkNames(names, flag);
  return issuers;
}

/** Parses networks in CIDR notation, separated by commas. */
export function toNetworks(text: string, flag: string): Network[] {
  return splitList(text).map((item) => {
    const network = parseNetwork(item);
    if (network !== undefined) return network;
    throw new ConfigError(`--${flag} must be networks such as 10.0.0.0/8${quote(item)}`);
  });
}

/** Parses the name of a request header, or undefined if it is empty. */
export function toHeader(text: string, flag: string): string | undefined {
  if (/^[A-Za-z0-9-]{0,64}$/.test(text)) return toOptionalText(text);
  throw new ConfigError(`--${flag} must be the name of a header${quote(text)}`);
}

/** Parses the origins of web pages, or `*`, separated by commas. */
export function toOrigins(text: string, flag: string): string[] {
  return splitList(text).map((item) => {
    if (item === "*" || (/^https?:/.test(item) && toOrigin(item) === item)) return item;
    throw new ConfigError(`--${flag} must be origins such as https://admin.example${quote(item)}`);
  });
}

function toOrigin(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/** Parses `NAME=VALUE`, separated by commas; a value may be empty. */
export function toPairs(text: string, flag: string): ReadonlyMap<string, string> {
  const pairs = splitList(text).map((item) => {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(item) ?? [];
    if (name !== undefined && value !== undefined) return [name.trim(), value.trim()] as const;
    throw new ConfigError(`--${flag} must be NAME=VALUE, separated by commas${quote(item)}`);
  });
  const names = pairs.map(([name]) => name);
  checkNames(names, flag);
  return new Map(pairs);
}

/** Checks that no name is repeated. Throws a ConfigError. */
function checkNames(names: readonly string[], flag: string): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new ConfigError(`--${flag} names '${twice}' twice`);
}

/** Splits a list at its commas, without spaces and empty items. */
function splitList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
