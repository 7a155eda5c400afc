/** An unknown setting or an invalid value; its message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Quotes a rejected value, unless it may contain a password: logs keep error messages. */
export function quote(text: string): string {
  return text.includes("@") ? "" : `, not '${text}'`;
}

/** Describes a setting: its flag is `--name`, its environment variable `MARQUEE_NAME`. */
export interface Setting<Value = unknown> {
  readonly flag: string;
  /**
   * The form of its value in the help. Absent: a boolean flag, whose variable takes true or false, and whose default is
   * false.
   */
  readonly form?: string;
  /** True if the flag may be repeated; its variable separates the values by commas. Default: false. */
  readonly isList?: boolean;
  /** The words that it takes; absent: any that `parse` accepts. */
  readonly choices?: readonly string[];
  /** The default, as a string. */
  readonly fallback?: string;
  /** The heading in the help above this setting and those after it. */
  readonly heading?: string;
  /** True if neither a default nor `parse` replaces a missing value; default: false. */
  readonly isRequired?: boolean;
  readonly help: string;
  /** Converts the string of the flag, variable or default; undefined omits the setting. Throws a ConfigError. */
  readonly parse: (text: string, flag: string) => Value;
}

/** The settings of a command, by the names that the program uses. */
export type SettingTable = Readonly<Record<string, Setting>>;

type ValueOf<It> = It extends Setting<infer Value> ? Value : never;
type Optional<Table> = {
  [Name in keyof Table]: undefined extends ValueOf<Table[Name]> ? Name : never;
}[keyof Table];

/** The parsed settings of a table; those that `parse` may leave out are optional. */
export type ConfigOf<Table extends SettingTable> = {
  readonly [Name in Exclude<keyof Table, Optional<Table>>]: ValueOf<Table[Name]>;
} & {
  readonly [Name in Optional<Table>]?: Exclude<ValueOf<Table[Name]>, undefined>;
};

/** The flags of a command line: the string of each given flag, or true for a boolean. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Reads settings: a flag takes precedence over its environment variable, which takes precedence over the default.
 * Throws a ConfigError.
 */
export function readSettings<Table extends SettingTable>(
  table: Table,
  flags: Flags,
  env: NodeJS.ProcessEnv,
): ConfigOf<Table> {
  const entries = Object.entries(table).map(([name, setting]) => {
    const { flag, form, fallback = "", isRequired = false } = setting;
    // Deployment files set an empty variable for a setting that is not set.
    const text = flags[flag] ?? (env[variableOf(flag)] || fallback);
    if (isRequired && text === "") throw new ConfigError(`--${flag} ${form} is required`);
    const value = form === undefined ? readBoolean(text, flag) : String(text);
    return [name, setting.parse(String(value), flag)] as const;
  });
  const config = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return config as ConfigOf<Table>;
}

function readBoolean(value: string | boolean, flag: string): boolean {
  if (value === true || value === "true" || value === "1") return true;
  if (value === false || value === "false" || value === "0" || value === "") return false;
  throw new ConfigError(`${variableOf(flag)} takes true or false${quote(value)}`);
}

/** Returns the environment variable of a flag. */
export function variableOf(flag: string): string {
  return `MARQUEE_${flag.replaceAll("-", "_").toUpperCase()}`;
}
