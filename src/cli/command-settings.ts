import type { CsvTable } from "../transfer/csv-lines.ts";
import { ConfigError, type ConfigOf, quote, type Setting, type SettingTable } from "./setting.ts";
import {
  oneOf,
  toBoolean,
  toCredential,
  toDatabase,
  toDatabaseFile,
  toNumber,
  toOptionalText,
  toPairs,
  toText,
  toUrl,
} from "./setting-values.ts";

/** The settings of a command with a file; `-` is standard input or output. */
export type FileConfig<Table extends SettingTable> = ConfigOf<Table> & { readonly file: string };

/** The setting of every command. */
export const DATABASE = {
  flag: "database",
  form: "ADDRESS",
  fallback: "sqlite:data/marquee.db",
  help: "database to use: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME",
  parse: toDatabase,
} as const satisfies Setting;

/** The setting of commands whose result a program may read. */
const JSON_OUTPUT = {
  flag: "json",
  help: "print results as JSON, one object per line",
  parse: toBoolean,
} as const satisfies Setting;

/** The setting of imports. */
const DRY_RUN = {
  flag: "dry-run",
  help: "report the changes and count the rest; write nothing",
  parse: toBoolean,
} as const satisfies Setting;

/** The settings of `marquee init`. */
export const INIT = {
  database: DATABASE,
  organization: {
    flag: "organization",
    form: "NAME",
    help: "name of the first organization of an empty database",
    parse: toText,
  },
  organizationId: {
    flag: "organization-id",
    form: "ID",
    help: "ID of an imported organization without an owner, to adopt it",
    parse: (text: string) => toOptionalText(text.trim()),
  },
  account: {
    flag: "account",
    form: "NAME",
    fallback: "Operator",
    help: "name of the first account",
    parse(text: string, flag: string): string {
      if (text.trim() !== "") return text;
      throw new ConfigError(`--${flag} takes a name`);
    },
  },
  json: JSON_OUTPUT,
} as const satisfies SettingTable;

/** Checks the settings of `init` against each other. Throws a ConfigError. */
export function checkInit(config: ConfigOf<typeof INIT>): ConfigOf<typeof INIT> {
  if ((config.organization.trim() === "") === (config.organizationId === undefined)) {
    throw new ConfigError("init needs either --organization NAME or --organization-id ID");
  }
  return config;
}

/** The kinds of records that an import reads from CSV. */
export const CSV_KINDS = ["entity", "creative_work", "event", "video"] as const;

/** The settings of `marquee import`. */
export const IMPORT = {
  database: DATABASE,
  projectId: {
    flag: "project",
    form: "ID",
    help: "project of records without a project; records of another project fail",
    parse: toOptionalText,
  },
  intoProjectId: {
    flag: "into-project",
    form: "ID",
    help: "copy the file's project into this one, with new ids: ID~PROJECT",
    parse: toOptionalText,
  },
  isDryRun: DRY_RUN,
  json: JSON_OUTPUT,
  isCsv: {
    heading: "CSV:",
    flag: "csv",
    help: "read a CSV table: UTF-8, commas, column names in the first row",
    parse: toBoolean,
  },
  kind: {
    flag: "kind",
    form: "KIND",
    help: `kind of the rows: ${CSV_KINDS.join(", ")}`,
    choices: CSV_KINDS,
    parse: (text: string, flag: string) =>
      text === "" ? undefined : oneOf(CSV_KINDS).parse(text, flag),
  },
  columns: {
    flag: "columns",
    isList: true,
    form: "COLUMN=FIELD,…",
    help: "fields of columns: title=title.en; COLUMN= skips; default: same name",
    parse: toPairs,
  },
  constants: {
    flag: "set",
    isList: true,
    form: "FIELD=VALUE,…",
    help: "values of fields in every row, such as visibility=VISIBILITY_PUBLISHED",
    parse: toPairs,
  },
} as const satisfies SettingTable;

/** The message about a stream as the file of a copy. */
export const READ_TWICE = "--into-project takes a regular file, which is read twice";

/** The checked settings of `marquee import`. */
export type ImportConfig = Pick<
  FileConfig<typeof IMPORT>,
  "database" | "projectId" | "intoProjectId" | "isDryRun" | "json" | "file"
> & { readonly csv?: CsvTable | undefined };

/** Checks the settings of `import` against its file. Throws a ConfigError. */
export function checkImport(config: ConfigOf<typeof IMPORT>, file: string): ImportConfig {
  const { isCsv, kind, columns, constants, ...others } = config;
  if (others.intoProjectId !== undefined && file === "-") throw new ConfigError(READ_TWICE);
  if (!isCsv) {
    if (kind !== undefined || columns.size + constants.size > 0) {
      throw new ConfigError("--kind, --columns and --set describe CSV: add --csv");
    }
    if (/\.csv$/i.test(file)) {
      throw new ConfigError(
        `${file} is CSV: pass --csv --kind KIND, such as --csv --kind creative_work --columns title=title.en`,
      );
    }
    return { ...others, file };
  }
  if (kind === undefined) {
    throw new ConfigError(`--csv needs --kind, one of ${CSV_KINDS.join(", ")}`);
  }
  if (others.intoProjectId !== undefined) {
    throw new ConfigError("--into-project copies an export, so it takes no --csv");
  }
  return { ...others, file, csv: { kind, columns, constants } };
}

/** The settings of `marquee export`. */
export const EXPORT = {
  database: DATABASE,
  projectId: {
    flag: "project",
    form: "ID",
    isRequired: true,
    help: "project to export",
    parse: toText,
  },
  withReleases: {
    flag: "with-releases",
    help: "add the releases that are not applied, with their drafts",
    parse: toBoolean,
  },
  isForced: {
    flag: "force",
    help: "replace an existing file",
    parse: toBoolean,
  },
} as const satisfies SettingTable;

const ANNOTATIONS = {
  database: DATABASE,
  organizationId: {
    flag: "organization-id",
    form: "ID",
    help: "organization of the video, if several contain the id",
    parse: toText,
  },
  videoId: {
    flag: "video",
    form: "ID",
    isRequired: true,
    help: "video of the annotations",
    parse: toText,
  },
} as const satisfies SettingTable;

/** The settings of `marquee annotations export`. */
export const ANNOTATIONS_EXPORT = ANNOTATIONS;

/** The settings of `marquee annotations import`. */
export const ANNOTATIONS_IMPORT = {
  ...ANNOTATIONS,
  isDryRun: DRY_RUN,
  json: JSON_OUTPUT,
} as const satisfies SettingTable;

/** The settings of `marquee backup`. */
export const BACKUP = {
  database: { ...DATABASE, parse: toDatabaseFile("backup") },
  json: JSON_OUTPUT,
} as const satisfies SettingTable;

/** The settings of `marquee restore`. */
export const RESTORE = {
  database: { ...DATABASE, parse: toDatabaseFile("restore") },
  replace: {
    flag: "replace",
    help: "replace an existing database, and keep it as NAME.before-restore",
    parse: toBoolean,
  },
  json: JSON_OUTPUT,
} as const satisfies SettingTable;

/** The settings of `marquee migrate-database`. */
export const MIGRATE_DATABASE = {
  from: {
    flag: "from",
    form: "ADDRESS",
    isRequired: true,
    help: "database to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME",
    parse: toDatabase,
  },
  to: {
    flag: "to",
    form: "ADDRESS",
    isRequired: true,
    help: "empty database to copy it to",
    parse: toDatabase,
  },
  json: JSON_OUTPUT,
} as const satisfies SettingTable;

const TOKENS = {
  database: DATABASE,
  organizationId: {
    flag: "organization-id",
    form: "ID",
    help: "organization of the account or token, if several contain the id",
    parse: toText,
  },
} as const satisfies SettingTable;

/** The settings of `marquee token create`. */
export const TOKEN_CREATE = {
  ...TOKENS,
  account: {
    flag: "account",
    form: "ID",
    isRequired: true,
    help: "account of the token",
    parse: toText,
  },
  name: {
    flag: "name",
    form: "TEXT",
    help: "purpose of the token",
    parse: toText,
  },
  days: {
    flag: "days",
    form: "N",
    help: "lifetime of the token in days; default: unlimited",
    parse(text: string, flag: string): number | undefined {
      if (text === "") return undefined;
      if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
      throw new ConfigError(`--${flag} takes a number of days from 1 to 99999${quote(text)}`);
    },
  },
  json: JSON_OUTPUT,
} as const satisfies SettingTable;

/** The settings of `marquee token list`. */
export const TOKEN_LIST = {
  ...TOKENS,
  account: {
    flag: "account",
    form: "ID",
    help: "account of the tokens; default: all accounts",
    parse: toText,
  },
  json: JSON_OUTPUT,
} as const satisfies SettingTable;

/** Checks the settings of `token list` against each other. Throws a ConfigError. */
export function checkTokenList(config: ConfigOf<typeof TOKEN_LIST>): ConfigOf<typeof TOKEN_LIST> {
  if (config.account === "" && config.organizationId !== "") {
    throw new ConfigError("token list takes --organization-id only with --account ID");
  }
  return config;
}

/** The settings of `marquee token revoke`. */
export const TOKEN_REVOKE = { ...TOKENS, json: JSON_OUTPUT } as const satisfies SettingTable;

/** The settings of a command with the id of a resource. */
export type IdConfig<Table extends SettingTable> = ConfigOf<Table> & { readonly id: string };

/** The settings of a command that calls the Studio API. */
export const STUDIO_API = {
  url: {
    flag: "url",
    form: "URL",
    fallback: "http://127.0.0.1:8080",
    help: "Studio API of a running server",
    parse: toUrl,
  },
  accessToken: {
    flag: "access-token",
    form: "TOKEN",
    isRequired: true,
    help: "access token of the caller; the variable hides it from other users",
    parse: toCredential,
  },
  json: JSON_OUTPUT,
} as const satisfies SettingTable;

/** The settings of a command that lists resources by the Studio API. */
export const STUDIO_LIST = {
  ...STUDIO_API,
  projectId: {
    flag: "project",
    form: "ID",
    isRequired: true,
    help: "project to list",
    parse: toText,
  },
  filter: {
    flag: "filter",
    form: "KQL",
    help: "condition on what is listed; default: none",
    parse: toText,
  },
  limit: {
    flag: "limit",
    form: "N",
    fallback: "50",
    help: "maximum number to list, up to 1000",
    parse: toNumber(1, 1_000),
  },
} as const satisfies SettingTable;

/** The settings of a command that writes by the Studio API. */
export const STUDIO_WRITE = {
  ...STUDIO_API,
  isDryRun: { flag: "dry-run", help: "check only; write nothing", parse: toBoolean },
} as const satisfies SettingTable;

/** The shells that complete commands. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** A shell that completes commands. */
export type Shell = (typeof SHELLS)[number];

/** Checks the argument of `marquee complete`. Throws a ConfigError. */
export function checkShell(name: string): Shell {
  const shell = SHELLS.find((it) => it === name);
  if (shell !== undefined) return shell;
  throw new ConfigError(`complete takes ${SHELLS.join(", ")}${quote(name)}`);
}

/** The settings of `marquee keys list` and `marquee keys rotate`. */
export const KEYS = { database: DATABASE, json: JSON_OUTPUT } as const satisfies SettingTable;
