import { styleText } from "node:util";
import { Command, CommanderError, Option } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import type { CommandGroup, CommandSpec, Commands } from "./command.ts";
import {
  ConfigError,
  type ConfigOf,
  nameOf,
  readSettings,
  type SettingTable,
  variableOf,
} from "./setting.ts";

/** The flags and the argument of a command line by name, such as `--listen`, with their values. */
export type Inputs = ReadonlyMap<string, unknown>;

/** A command line that has been read. */
export interface ParsedCommand {
  /** The checked settings. */
  readonly config: object;
  readonly inputs: Inputs;
  /** See {@link CommandSpec.interrupted}. */
  readonly interrupted: string | undefined;
  run(): Promise<void>;
}

/**
 * Reads a command line; undefined if it asked for help or the version, which has been printed. Throws a ConfigError.
 */
export function parseCommandLine(
  commands: Commands,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ParsedCommand | undefined {
  let parsed: ParsedCommand | undefined;
  const program = createProgram(commands, (spec, command, argument = "") => {
    const given = readFlags(command, spec.settings, env);
    const config = spec.check?.(given, argument) ?? given;
    const flags = Object.keys(spec.settings).map(
      (flag) => [`--${flag}`, given[nameOf(flag)]] as const,
    );
    parsed = {
      config,
      inputs: new Map([...flags, ["<file>", argument]]),
      interrupted: spec.interrupted,
      run: () => spec.run(config, argument, env),
    };
  });
  const [first, ...names] = args;
  if (first === undefined) program.outputHelp();
  else parse(program, first === "help" ? toHelp(program, names) : args);
  return parsed;
}

/** Creates the program, whose commands call `onCommand`. */
function createProgram(
  commands: Commands,
  onCommand: (spec: CommandSpec, command: Command, argument?: string) => void,
): Command {
  const program = new Command("marquee")
    .description(packageJson.description)
    .version(packageJson.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command...]", "print the help of a command")
    .configureHelp({ helpWidth: 80, styleTitle: (title) => styleText("bold", title) })
    .addHelpText("after", MORE)
    .exitOverride()
    .configureOutput({ writeErr: () => {}, outputError: () => {} });
  for (const [name, spec] of Object.entries(commands)) add(program, name, spec);
  return program;

  function add(parent: Command, name: string, spec: CommandSpec | CommandGroup): void {
    const command = parent.command(name).description(spec.summary);
    if ("commands" in spec) {
      for (const [verb, each] of Object.entries(spec.commands)) add(command, verb, each);
      return;
    }
    addOptions(command, spec.settings).addHelpText("after", describeExamples(spec));
    if (spec.argument !== undefined) command.argument(spec.argument[0], spec.argument[1]);
    command.allowExcessArguments().action(() => {
      const { args, registeredArguments } = command;
      const excess = args[registeredArguments.length];
      if (excess !== undefined) throw new ConfigError(`unexpected argument '${excess}'`);
      onCommand(spec, command, args[0]);
    });
  }
}

const MORE = `
A setting is a flag or an environment variable. The flag takes precedence.

Exit codes:
  0    done
  1    failed
  2    wrong usage: an unknown command or flag, or an invalid value
  130  interrupted by Ctrl-C
  141  standard output was closed
  143  ended by SIGTERM; serve ends with 0

Examples:
  marquee serve --demo      try it with the demo's data
  marquee help serve        the settings of the service
  source <(marquee complete bash)
                            completion by Tab; also zsh, fish and powershell
`;

function describeExamples({ examples }: CommandSpec): string {
  const lines = examples.map(([line, effect]) => `  # ${effect}\n  marquee ${line}`);
  return `\nExamples:\n${lines.join("\n")}\n`;
}

/** Adds the settings as options; their values are strings, which `readSettings` converts. */
function addOptions(command: Command, table: SettingTable): Command {
  for (const [flag, setting] of Object.entries(table)) {
    const { form, help, heading, fallback, isList, isRequired = false } = setting;
    if (heading !== undefined) command.optionsGroup(heading);
    const usage = form === undefined ? `--${flag}` : `--${flag} <${form}>`;
    const notes = [
      ...(isRequired ? ["required"] : []),
      ...(fallback === undefined ? [] : [`default: ${fallback}`]),
      `env: ${variableOf(flag)}`,
    ];
    const option = new Option(usage, `${help} (${notes.join("; ")})`);
    if (isList) option.argParser((text, all?: string) => (all ? `${all},${text}` : text));
    command.addOption(option);
  }
  return command;
}

function readFlags(
  command: Command,
  table: SettingTable,
  env: NodeJS.ProcessEnv,
): ConfigOf<SettingTable> {
  const given = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .map((option): [string, string | true] => [
      option.long?.slice("--".length) ?? "",
      option.isBoolean() || option.negate ? true : command.getOptionValue(option.attributeName()),
    ]);
  return readSettings(table, new Map(given), env);
}

/** Parses arguments, and prints help if they ask for it. Throws a ConfigError of one line. */
function parse(program: Command, args: readonly string[]): void {
  try {
    program.parse(args, { from: "user" });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    if (cause.exitCode === 0) return;
    const commands = findCommands(program, args);
    const hasFlag = (flag?: string) => commands.at(-1)?.options.some(({ long }) => long === flag);
    const line = cause.message
      .replace("(outputHelp)", () => missingCommand(commands.at(-1) ?? program))
      .replace(/^error: /, "")
      .replace(/\n\(Did you mean (.*)\?\)$/s, "; did you mean $1?")
      // The value of a flag that is written wrong may be a secret.
      .replace(/^unknown option '([^'=]+)=.*'/s, (_, flag) =>
        hasFlag(flag) ? `option '${flag}' takes no value` : `unknown option '${flag}'`,
      )
      .replace(/^unknown option '([^']+)'$/, (text, flag) => {
        const usual = USUAL_FLAGS.get(flag);
        return hasFlag(usual) ? `${text}; did you mean ${usual}?` : text;
      });
    const see = line.endsWith("?") ? " See" : "; see";
    const path = ["help", ...commands.map((command) => command.name())].join(" ");
    throw new ConfigError(`${line}${see} 'marquee ${path}'`);
  }
}

/** Describes that a group of commands needs one of them. */
function missingCommand(group: Command): string {
  const names = group.commands.map((it) => it.name()).filter((name) => name !== "help");
  return `${group.name()} needs a command: ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** Flags of other servers, and those that Marquee has instead. */
const USUAL_FLAGS = new Map([
  ["--port", "--listen"],
  ["-p", "--listen"],
  ["--host", "--listen"],
]);

/** Returns the arguments that ask for the help of a command. The parser rejects an unknown one. */
function toHelp(program: Command, names: readonly string[]): readonly string[] {
  const found = findCommands(program, names);
  const isUnknown = found.length < names.length && (found.at(-1) ?? program).commands.length > 0;
  return isUnknown ? names : [...names, "--help"];
}

/** Returns the commands that arguments begin with, each within the one before. */
function findCommands(parent: Command, [name, ...rest]: readonly string[]): readonly Command[] {
  const command = parent.commands.find((it) => it.name() === name);
  return command === undefined ? [] : [command, ...findCommands(command, rest)];
}
