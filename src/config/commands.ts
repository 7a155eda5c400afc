import { toBoolean, toDatabase, toDatabaseFile, toOptionalText, toText } from "./parse.ts";
import {
  ConfigError,
  type ConfigOf,
  readSettings,
  type Setting,
  type SettingTable,
} from "./setting.ts";

/** The setting of every command. */
export const DATABASE = {
  ...{ flag: "database", kind: "string", form: "ADDRESS", fallback: "sqlite:data/marquee.db" },
  help: "database to use: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME",
  parse: toDatabase,
} as const satisfies Setting;

/** The settings of `marquee init`. */
export const INIT = {
  database: DATABASE,
  organization: {
    ...{ flag: "organization", kind: "string", form: "NAME" },
    help: "name of the first organization of an empty database",
    parse: toText,
  },
  organizationId: {
    ...{ flag: "organization-id", kind: "string", form: "ID" },
    help: "instead: an imported organization that has no owner yet",
    parse: (text: string) => toOptionalText(text.trim()),
  },
  account: {
    ...{ flag: "account", kind: "string", form: "NAME", fallback: "Operator" },
    help: "name of its first account",
    parse(text: string, flag: string): string {
      if (text.trim() !== "") return text;
      throw new ConfigError(`--${flag} takes a name`);
    },
  },
} as const satisfies SettingTable;

/** The settings of `marquee init`; either `organization` or `organizationId` is set. */
export type InitConfig = ConfigOf<typeof INIT>;

/** Reads the settings of `init`. Throws a ConfigError. */
export function readInitConfig(args: readonly string[], env: NodeJS.ProcessEnv): InitConfig {
  const { config, positionals } = readSettings(INIT, args, env);
  refuseMore(positionals);
  if ((config.organization.trim() === "") === (config.organizationId === undefined)) {
    throw new ConfigError("init needs either --organization NAME or --organization-id ID");
  }
  return config;
}

/** The settings of `marquee import`. */
export const IMPORT = {
  database: DATABASE,
  projectId: {
    ...{ flag: "project", kind: "string", form: "ID" },
    help: "project of resources that name none; those that name another one are refused",
    parse: toOptionalText,
  },
  intoProjectId: {
    ...{ flag: "into-project", kind: "string", form: "ID" },
    help: "copy the file's project into this one, with new ids: <id>~<project>",
    parse: toOptionalText,
  },
  isDryRun: {
    ...{ flag: "dry-run", kind: "boolean", form: "" },
    help: "report what would be created, updated or left unchanged, and write nothing",
    parse: toBoolean,
  },
} as const satisfies SettingTable;

/** The settings of `marquee import`; the file `-` is standard input. */
export type ImportConfig = ConfigOf<typeof IMPORT> & { readonly file: string };

/** The message about a stream as the file of a copy. */
export const READ_TWICE = "--into-project reads its file twice: it takes a regular file";

/** Reads the settings of `import`. Throws a ConfigError. */
export function readImportConfig(args: readonly string[], env: NodeJS.ProcessEnv): ImportConfig {
  const { config, positionals } = readSettings(IMPORT, args, env);
  const [file, ...others] = positionals;
  if (file === undefined) throw new ConfigError("import takes a file, or - for standard input");
  refuseMore(others);
  if (config.intoProjectId !== undefined && file === "-") throw new ConfigError(READ_TWICE);
  return { ...config, file };
}

/** The settings of `marquee export`. */
export const EXPORT = {
  database: DATABASE,
  projectId: {
    ...{ flag: "project", kind: "string", form: "ID" },
    help: "project to export; required",
    parse(text: string, flag: string): string {
      if (text !== "") return text;
      throw new ConfigError(`export takes --${flag} ID`);
    },
  },
  isForced: {
    ...{ flag: "force", kind: "boolean", form: "" },
    help: "replace an existing file",
    parse: toBoolean,
  },
} as const satisfies SettingTable;

/** The settings of `marquee export`; the file `-`, the default, is standard output. */
export type ExportConfig = ConfigOf<typeof EXPORT> & { readonly file: string };

/** Reads the settings of `export`. Throws a ConfigError. */
export function readExportConfig(args: readonly string[], env: NodeJS.ProcessEnv): ExportConfig {
  const { config, positionals } = readSettings(EXPORT, args, env);
  const [file = "-", ...others] = positionals;
  refuseMore(others);
  return { ...config, file };
}

/** The formats of `marquee annotations`. */
export type AnnotationFormat = "csv" | "vtt";

/** The settings of `marquee annotations`. */
export const ANNOTATIONS = {
  database: DATABASE,
  organizationId: {
    ...{ flag: "organization-id", kind: "string", form: "ID" },
    help: "organization of the video, if several have the id",
    parse: toText,
  },
  videoId: {
    ...{ flag: "video", kind: "string", form: "ID" },
    help: "video of the annotations; required",
    parse: toText,
  },
  format: {
    ...{ flag: "format", kind: "string", form: "vtt|csv" },
    help: "WebVTT chapters or CSV; by default, the extension of the file",
    parse: toText,
  },
  isDryRun: {
    ...{ flag: "dry-run", kind: "boolean", form: "" },
    help: "report what an import would create, update or leave unchanged, and write nothing",
    parse: toBoolean,
  },
} as const satisfies SettingTable;

/** The settings of `marquee annotations`; the file `-` is standard input or output. */
export type AnnotationsConfig = Omit<ConfigOf<typeof ANNOTATIONS>, "format"> & {
  readonly verb: "export" | "import";
  readonly format: AnnotationFormat;
  readonly file: string;
};

/** Reads the settings of `annotations`. Throws a ConfigError. */
export function readAnnotationsConfig(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): AnnotationsConfig {
  const { config, positionals } = readSettings(ANNOTATIONS, args, env);
  const [verb, file = "", ...others] = positionals;
  if (verb !== "export" && verb !== "import") {
    throw new ConfigError("annotations takes export or import");
  }
  refuseMore(others);
  if (verb === "import" && file === "") {
    throw new ConfigError("annotations import takes a file, or - for standard input");
  }
  if (config.videoId === "") throw new ConfigError(`annotations ${verb} needs --video ID`);
  return { ...config, verb, format: toFormat(config.format, file), file: file || "-" };
}

function toFormat(text: string, file: string): AnnotationFormat {
  const name = text || /\.(vtt|csv)$/i.exec(file)?.[1]?.toLowerCase();
  if (name === "vtt" || name === "csv") return name;
  if (text !== "") throw new ConfigError(`--format takes vtt or csv, not '${text}'`);
  throw new ConfigError(
    "the file's name ends in neither .vtt nor .csv; set --format to vtt or csv",
  );
}

/** The settings of `marquee backup`. */
export const BACKUP = {
  database: { ...DATABASE, parse: toDatabaseFile("backup") },
} as const satisfies SettingTable;

/** The settings of `marquee backup`; the file is the new backup. */
export type BackupConfig = ConfigOf<typeof BACKUP> & { readonly file: string };

/** Reads the settings of `backup`. Throws a ConfigError. */
export function readBackupConfig(args: readonly string[], env: NodeJS.ProcessEnv): BackupConfig {
  const { config, positionals } = readSettings(BACKUP, args, env);
  const [file = "", ...others] = positionals;
  if (file === "") throw new ConfigError("backup takes the file to write");
  refuseMore(others);
  return { ...config, file };
}

/** The settings of `marquee restore`. */
export const RESTORE = {
  database: { ...DATABASE, parse: toDatabaseFile("restore") },
  replace: {
    ...{ flag: "replace", kind: "boolean", form: "" },
    help: "replace an existing database, which is kept under its name with .before-restore",
    parse: toBoolean,
  },
} as const satisfies SettingTable;

/** The settings of `marquee restore`; the file is the backup. */
export type RestoreConfig = ConfigOf<typeof RESTORE> & { readonly file: string };

/** Reads the settings of `restore`. Throws a ConfigError. */
export function readRestoreConfig(args: readonly string[], env: NodeJS.ProcessEnv): RestoreConfig {
  const { config, positionals } = readSettings(RESTORE, args, env);
  const [file = "", ...others] = positionals;
  if (file === "") throw new ConfigError("restore takes the backup's file");
  refuseMore(others);
  return { ...config, file };
}

const toOptionalDatabase = (text: string, flag: string) =>
  text === "" ? undefined : toDatabase(text, flag);

/** The settings of `marquee migrate-database`. */
export const MIGRATE_DATABASE = {
  from: {
    ...{ flag: "from", kind: "string", form: "ADDRESS" },
    help: "database to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME; required",
    parse: toOptionalDatabase,
  },
  to: {
    ...{ flag: "to", kind: "string", form: "ADDRESS" },
    help: "empty database to copy it to; required",
    parse: toOptionalDatabase,
  },
} as const satisfies SettingTable;

/** The settings of `marquee migrate-database`. */
export type MigrateDatabaseConfig = Required<ConfigOf<typeof MIGRATE_DATABASE>>;

/** Reads the settings of `migrate-database`. Throws a ConfigError. */
export function readMigrateDatabaseConfig(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): MigrateDatabaseConfig {
  const { config, positionals } = readSettings(MIGRATE_DATABASE, args, env);
  refuseMore(positionals);
  const { from, to } = config;
  if (from !== undefined && to !== undefined) return { from, to };
  throw new ConfigError("migrate-database needs --from ADDRESS and --to ADDRESS");
}

/** The settings of `marquee token`. */
export const TOKEN = {
  database: DATABASE,
  organizationId: {
    ...{ flag: "organization-id", kind: "string", form: "ID" },
    help: "organization of the account or token, if several have the id",
    parse: toText,
  },
  account: {
    ...{ flag: "account", kind: "string", form: "ID" },
    help: "account of the tokens; required to create one",
    parse: toText,
  },
  name: {
    ...{ flag: "name", kind: "string", form: "TEXT" },
    help: "purpose of the new token",
    parse: toText,
  },
  days: {
    ...{ flag: "days", kind: "string", form: "N" },
    help: "lifetime of the new token in days; by default, unlimited",
    parse(text: string, flag: string): number | undefined {
      if (text === "") return undefined;
      if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
      throw new ConfigError(`--${flag} takes a number of days from 1 to 99999, not '${text}'`);
    },
  },
} as const satisfies SettingTable;

/** The settings of `marquee token`, with its verb and arguments. */
export type TokenConfig = ConfigOf<typeof TOKEN> & { readonly positionals: readonly string[] };

/** Reads the settings of `token`. Throws a ConfigError. */
export function readTokenConfig(args: readonly string[], env: NodeJS.ProcessEnv): TokenConfig {
  const { config, positionals } = readSettings(TOKEN, args, env);
  return { ...config, positionals };
}

/** The settings of `marquee keys`. */
export const KEYS = { database: DATABASE } as const satisfies SettingTable;

/** The settings of `marquee keys`, with its verb and arguments. */
export type KeysConfig = ConfigOf<typeof KEYS> & { readonly positionals: readonly string[] };

/** Reads the settings of `keys`. Throws a ConfigError. */
export function readKeysConfig(args: readonly string[], env: NodeJS.ProcessEnv): KeysConfig {
  const { config, positionals } = readSettings(KEYS, args, env);
  return { ...config, positionals };
}

function refuseMore([argument]: readonly string[]): void {
  if (argument !== undefined) throw new ConfigError(`unexpected argument '${argument}'`);
}
