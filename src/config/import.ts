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
  /** The project of the copy that is made of the file's project. */
  readonly intoProjectId?: string;
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
    flag: "into-project",
    kind: "string",
    form: "ID",
    help: "copy the file's project into this one, under other ids: <id>~<project>",
  },
  {
    flag: "dry-run",
    kind: "boolean",
    form: "",
    help: "tell what would be created, updated or left unchanged, and write nothing",
  },
];

/** Why a copy is not made of a stream. */
export const READ_TWICE = "--into-project reads its file twice: it takes a regular file";

/** Reads the settings of `import`. Throws a ConfigError. */
export function readImportConfig(args: readonly string[], env: NodeJS.ProcessEnv): ImportConfig {
  const { values, positionals } = parseSettings(args, IMPORT_SETTINGS);
  const [file, ...others] = positionals;
  if (file === undefined) throw new ConfigError("import takes a file, or - for standard input");
  if (others[0] !== undefined) throw new ConfigError(`unexpected argument '${others[0]}'`);
  const read = readerOf(values, env, IMPORT_SETTINGS);
  const projectId = read.text("project");
  const intoProjectId = read.text("into-project");
  if (intoProjectId !== "" && file === "-") throw new ConfigError(READ_TWICE);
  return {
    database: toDatabase(read.text("database")),
    file,
    ...(projectId !== "" && { projectId }),
    ...(intoProjectId !== "" && { intoProjectId }),
    isDryRun: read.flag("dry-run"),
  };
}
