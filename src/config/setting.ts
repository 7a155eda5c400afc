import { parseArgs } from "node:util";

/** A setting that is unknown or has a bad value; its message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** A setting: its flag, `--name`; its environment variable, `MARQUEE_NAME`. */
export interface Setting {
  readonly flag: string;
  readonly kind: "string" | "boolean";
  readonly fallback?: string;
  readonly form: string;
  readonly help: string;
}

/** Writes a table of settings for `--help`. */
export function describeSettings(settings: readonly Setting[]): string {
  return settings
    .map(({ flag, form, help, fallback, kind }) => {
      const value = kind === "boolean" ? "false" : fallback || "none";
      return `  --${`${flag} ${form}`.trimEnd()}\n      ${help}\n      environment ${variableOf(flag)}, default ${value}`;
    })
    .join("\n");
}

type Values = Record<string, string | boolean | undefined>;

/** Parses a command line by its settings. Throws a ConfigError. */
export function parseSettings(args: readonly string[], settings: readonly Setting[]) {
  const options = Object.fromEntries(settings.map(({ flag, kind }) => [flag, { type: kind }]));
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return { values: parsed.values as Values, positionals: parsed.positionals };
  } catch (cause) {
    const [line = ""] = (cause instanceof Error ? cause.message : String(cause)).split(/\.? To /);
    throw new ConfigError(line.split("\n")[0]);
  }
}

/** Creates what reads settings: a flag wins over its environment variable. */
export function readerOf(values: Values, env: NodeJS.ProcessEnv, settings: readonly Setting[]) {
  // An empty variable is what deployment files make of one that is not set.
  const raw = (flag: string) => values[flag] ?? (env[variableOf(flag)] || undefined);
  return {
    text(flag: string): string {
      const fallback = settings.find((setting) => setting.flag === flag)?.fallback ?? "";
      return String(raw(flag) ?? fallback);
    },
    flag(flag: string): boolean {
      const value = raw(flag) ?? "false";
      if (value === true || value === "true" || value === "1") return true;
      if (value === false || value === "false" || value === "0" || value === "") return false;
      throw new ConfigError(`${variableOf(flag)} takes true or false, not '${value}'`);
    },
  };
}

function variableOf(flag: string): string {
  return `MARQUEE_${flag.replaceAll("-", "_").toUpperCase()}`;
}
