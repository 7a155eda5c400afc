import type { DatabaseAddress } from "../storage/open.ts";
import { DATABASE_SETTING, toDatabase } from "./database.ts";
import { ConfigError, parseSettings, readerOf, type Setting } from "./setting.ts";

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
  DATABASE_SETTING,
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
  const { values, positionals } = parseSettings(args, IMPORT_SETTINGS);
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
