import type { DatabaseAddress } from "../storage/open.ts";
import { DATABASE_SETTING, toDatabase } from "./database.ts";
import { parseSettings, readerOf, type Setting } from "./setting.ts";

/** The settings of `marquee keys`. */
export interface KeysConfig {
  readonly database: DatabaseAddress;
  readonly positionals: readonly string[];
}

/** Every setting of `marquee keys`. */
export const KEYS_SETTINGS: readonly Setting[] = [DATABASE_SETTING];

/** Reads the settings of `keys`. Throws a ConfigError. */
export function readKeysConfig(args: readonly string[], env: NodeJS.ProcessEnv): KeysConfig {
  const { values, positionals } = parseSettings(args, KEYS_SETTINGS);
  const read = readerOf(values, env, KEYS_SETTINGS);
  return { database: toDatabase(read.text("database")), positionals };
}
