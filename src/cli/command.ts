import type { ConfigOf, SettingTable } from "./setting.ts";

/** A command of the command line. */
export interface CommandSpec<
  Table extends SettingTable = SettingTable,
  Config extends object = ConfigOf<Table>,
> {
  readonly summary: string;
  readonly settings: Table;
  /** The argument, `<required>` or `[optional]`, its meaning, and the words that it takes; without them any. */
  readonly argument?: readonly [form: string, help: string, choices?: readonly string[]];
  /** Command lines without the name of the program, with descriptions. */
  readonly examples: readonly (readonly [line: string, effect: string])[];
  /** The state after an interrupt, at any time; absent: the command handles interrupts. */
  readonly interrupted?: string;
  /**
   * Checks the settings against each other and against the argument, and returns the settings of the run; absent:
   * nothing to check. Throws a ConfigError.
   */
  check?(config: ConfigOf<Table>, argument: string): Config;
  /**
   * Runs the command. It imports the server, messages and drivers itself, because every start loads the files of all
   * commands, even for the help.
   */
  run(config: Config, argument: string, env: NodeJS.ProcessEnv): Promise<void>;
}

/** Commands under one name. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: Readonly<Record<string, CommandSpec>>;
}

/** Commands by name, in the order of the help. */
export type Commands = Readonly<Record<string, CommandSpec | CommandGroup>>;

/** Infers the settings of a command from its table and its check. */
export function command<const Table extends SettingTable, Config extends object = ConfigOf<Table>>(
  spec: CommandSpec<Table, Config>,
): CommandSpec {
  return spec as CommandSpec;
}
