import type { DatabaseAddress, SqliteAddress } from "../storage/open.ts";
import { ConfigError, type Setting } from "./setting.ts";

/** The setting that every command has. */
export const DATABASE_SETTING: Setting = {
  flag: "database",
  kind: "string",
  fallback: "sqlite:data/marquee.db",
  form: "sqlite:PATH",
  help: "where the data lies",
};

/** Reads where the data lies. Throws a ConfigError. */
export function toDatabase(text: string): DatabaseAddress {
  const path = text.startsWith("sqlite:") ? text.slice("sqlite:".length) : "";
  if (path !== "") return { engine: "sqlite", path };
  throw new ConfigError(`--database takes sqlite:PATH, not '${text}'`);
}

/** Reads where a database lies, for a command that needs it to be a file. Throws a ConfigError. */
export function toDatabaseFile(text: string, command: string): SqliteAddress {
  const path = text.startsWith("sqlite:") ? text.slice("sqlite:".length) : "";
  if (path !== "") return { engine: "sqlite", path };
  // Without the address: those of other kinds hold passwords.
  throw new ConfigError(`${command} takes sqlite:PATH as --database, and no other kind`);
}
