import type { DatabaseAddress } from "../storage/open.ts";
import { DATABASE_SETTING, toDatabase } from "./database.ts";
import { ConfigError, parseSettings, readerOf, type Setting } from "./setting.ts";

/** The settings of `marquee export`. */
export interface ExportConfig {
  readonly database: DatabaseAddress;
  readonly projectId: string;
  /** A path; `-` is standard output. */
  readonly file: string;
  /** A file that is there is replaced. */
  readonly isForced: boolean;
}

/** Every setting of `marquee export`. */
export const EXPORT_SETTINGS: readonly Setting[] = [
  DATABASE_SETTING,
  { flag: "project", kind: "string", form: "ID", help: "the project; it must be given" },
  {
    flag: "force",
    kind: "boolean",
    form: "",
    help: "replace the file if it is there",
  },
];

/** Reads the settings of `export`; without a file it goes to standard output. Throws a ConfigError. */
export function readExportConfig(args: readonly string[], env: NodeJS.ProcessEnv): ExportConfig {
  const { values, positionals } = parseSettings(args, EXPORT_SETTINGS);
  const [file = "-", ...others] = positionals;
  if (others[0] !== undefined) throw new ConfigError(`unexpected argument '${others[0]}'`);
  const read = readerOf(values, env, EXPORT_SETTINGS);
  const projectId = read.text("project");
  if (projectId === "") throw new ConfigError("export takes --project ID");
  return {
    database: toDatabase(read.text("database")),
    projectId,
    file,
    isForced: read.flag("force"),
  };
}
