/** An unknown setting or an invalid value; its message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Quotes a rejected value, unless it may contain a password: logs keep error messages. */
export function quote(text: string): string {
  return text.includes("@") ? "" : `, not '${text}'`;
}

/** Describes a setting. */
export interface Setting<Value = unknown> {
  /**
   * The form of its value in the help. Absent: a boolean flag, whose variable must be true or false, and whose default is
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
  /**
   * Converts the string of the flag, variable or default; undefined omits the setting. Absent: the string itself. Throws
   * a ConfigError. A boolean flag has none.
   */
  readonly parse?: (text: string, flag: string) => Value;
}

/**
 * The settings of a command by flag: `log-level` is `--log-level` on the command line, `MARQUEE_LOG_LEVEL` in the
 * environment and `logLevel` in the program.
 */
export type SettingTable = Readonly<Record<string, Setting>>;

type NameOf<Flag> = Flag extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<NameOf<Rest>>}`
  : Flag;
type ValueOf<It> = Setting extends It
  ? unknown
  : It extends { readonly parse: (text: string, flag: string) => infer Value }
    ? Value
    : It extends { readonly form: string }
      ? string
      : boolean;
type Optional<Table> = {
  [Flag in keyof Table]: undefined extends ValueOf<Table[Flag]> ? Flag : never;
}[keyof Table];

/** The parsed settings of a table; those that `parse` may leave out are optional. */
export type ConfigOf<Table extends SettingTable> = {
  readonly [Flag in Exclude<keyof Table, Optional<Table>> as NameOf<Flag>]: ValueOf<Table[Flag]>;
} & {
  readonly [Flag in Optional<Table> as NameOf<Flag>]?: Exclude<ValueOf<Table[Flag]>, undefined>;
};

/**
 * Reads settings: a given flag, whose value is a string or true for a boolean, takes precedence over its environment
 * variable, which takes precedence over the default. Throws a ConfigError.
 */
export function readSettings<Table extends SettingTable>(
  table: Table,
  flags: ReadonlyMap<string, string | true>,
  env: NodeJS.ProcessEnv,
): ConfigOf<Table> {
  const entries = Object.entries(table).map(([flag, setting]) => {
    const { form, fallback = "", isRequired = false, parse = (text: string) => text } = setting;
    // Deployment files set an empty variable for a setting that is not set.
    const text = flags.get(flag) ?? (env[variableOf(flag)] || fallback);
    if (isRequired && text === "") throw new ConfigError(`--${flag} ${form} is required`);
    try {
      const value = form === undefined ? readBoolean(text, flag) : parse(String(text), flag);
      return [nameOf(flag), value] as const;
    } catch (error) {
      throw flags.has(flag) ? error : nameVariable(error, flag);
    }
  });
  const config = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return config as ConfigOf<Table>;
}

function readBoolean(value: string | boolean, flag: string): boolean {
  if (value === true || value === "true" || value === "1") return true;
  if (value === false || value === "false" || value === "0" || value === "") return false;
  throw new ConfigError(`--${flag} must be true or false${quote(value)}`);
}

/** Returns the error of a value with the name of its environment variable, as the operator wrote it. */
function nameVariable(error: unknown, flag: string): unknown {
  if (!(error instanceof ConfigError)) return error;
  const { message } = error;
  return new ConfigError(message.replace(`--${flag} `, `${variableOf(flag)} (--${flag}) `));
}

/** Returns the environment variable of a flag. */
export function variableOf(flag: string): string {
  return `MARQUEE_${flag.replaceAll("-", "_").toUpperCase()}`;
}

/** Returns the name of a flag in the program. */
export function nameOf(flag: string): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
