import type { SqliteAddress } from "../storage/open.ts";
import { DATABASE_SETTING, toDatabaseFile } from "./database.ts";
import { ConfigError, parseSettings, readerOf, type Setting } from "./setting.ts";

/** The settings of `marquee restore`. */
export interface RestoreConfig {
  readonly database: SqliteAddress;
  /** The path of the backup. */
  readonly file: string;
  /** Whether a database that is there already makes way. */
  readonly replace: boolean;
}

/** Every setting of `marquee restore`. */
export const RESTORE_SETTINGS: readonly Setting[] = [
  DATABASE_SETTING,
  {
    flag: "replace",
    kind: "boolean",
    form: "",
    help: "replace the database that is there, and keep it with .before-restore behind its name",
  },
];

/** Reads the settings of `restore`. Throws a ConfigError. */
export function readRestoreConfig(args: readonly string[], env: NodeJS.ProcessEnv): RestoreConfig {
  const { values, positionals } = parseSettings(args, RESTORE_SETTINGS);
  const [file = "", ...others] = positionals;
  if (file === "") throw new ConfigError("restore takes the backup's file");
  if (others[0] !== undefined) throw new ConfigError(`unexpected argument '${others[0]}'`);
  const read = readerOf(values, env, RESTORE_SETTINGS);
  return {
    database: toDatabaseFile(read.text("database"), "restore"),
    file,
    replace: read.flag("replace"),
  };
}
