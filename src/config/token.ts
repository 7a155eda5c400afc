import type { DatabaseAddress } from "../storage/open.ts";
import { DATABASE_SETTING, toDatabase } from "./database.ts";
import { ConfigError, parseSettings, readerOf, type Setting } from "./setting.ts";

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
  DATABASE_SETTING,
  { flag: "account", kind: "string", fallback: "", form: "ID", help: "whose tokens" },
  { flag: "name", kind: "string", fallback: "", form: "TEXT", help: "what the token is for" },
  { flag: "days", kind: "string", form: "N", help: "how long it lasts; without it, for ever" },
];

/** Reads the settings of `token`. Throws a ConfigError. */
export function readTokenConfig(args: readonly string[], env: NodeJS.ProcessEnv): TokenConfig {
  const { values, positionals } = parseSettings(args, TOKEN_SETTINGS);
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
