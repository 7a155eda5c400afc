import type { SqliteAddress } from "../storage/open.ts";
import { DATABASE_SETTING, toDatabaseFile } from "./database.ts";
import { ConfigError, parseSettings, readerOf, type Setting } from "./setting.ts";

/** The settings of `marquee backup`. */
export interface BackupConfig {
  readonly database: SqliteAddress;
  /** The path of the new backup. */
  readonly file: string;
}

/** Every setting of `marquee backup`. */
export const BACKUP_SETTINGS: readonly Setting[] = [DATABASE_SETTING];

/** Reads the settings of `backup`. Throws a ConfigError. */
export function readBackupConfig(args: readonly string[], env: NodeJS.ProcessEnv): BackupConfig {
  const { values, positionals } = parseSettings(args, BACKUP_SETTINGS);
  const [file = "", ...others] = positionals;
  if (file === "") throw new ConfigError("backup takes the file to write");
  if (others[0] !== undefined) throw new ConfigError(`unexpected argument '${others[0]}'`);
  const read = readerOf(values, env, BACKUP_SETTINGS);
  return { database: toDatabaseFile(read.text("database"), "backup"), file };
}
