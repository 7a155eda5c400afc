import type { CommandSpec, Commands } from "./command.ts";

/** A word that fits at the cursor, with its description. */
export type Candidate = readonly [word: string, description: string];

/** The candidates for a word; `files` for the paths of files, which the shell lists. */
export type Completion = readonly Candidate[] | "files";

/** Prints the completion of the last word for the script of a shell: a candidate a line, or `:files`. */
export function printCompletion(commands: Commands, words: readonly string[]): void {
  const completion = complete(commands, words);
  const lines = completion === "files" ? [":files"] : completion.map((it) => it.join("\t"));
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/**
 * Completes the last of the words after the name of the program; it may be empty. `--flag=value` is one word, or three
 * as bash splits it.
 */
export function complete(all: Commands, words: readonly string[]): Completion {
  const last = words.at(-1) ?? "";
  const written = words.slice(0, -1).filter((word) => word !== "=");
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/.exec(last) ?? [];
  if (flag === undefined || value === undefined) {
    return completeWord(all, written, last === "=" ? "" : last);
  }
  const values = completeWord(all, [...written, flag], value);
  if (values === "files") return values;
  return values.map(([word, description]) => [`${flag}=${word}`, description]);
}

function completeWord(all: Commands, written: readonly string[], word: string): Completion {
  const isHelp = written[0] === "help";
  const { commands, command, rest } = findCommand(all, isHelp ? written.slice(1) : written);
  if (command !== undefined) return isHelp ? [] : completeArgument(command, rest, word);
  if (rest.length > 0) return [];
  const names = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const);
  const isFirst = written.length === 0;
  return startingWith(word, [...names, ...(isFirst ? [HELP] : []), ...(isHelp ? [] : [HELP_FLAG])]);
}

const HELP: Candidate = ["help", "print the help of a command"];
const HELP_FLAG: Candidate = ["--help", "print the help"];

/** Finds the command, or else the group of commands, that words begin with. */
function findCommand(
  commands: Commands,
  words: readonly string[],
): { commands: Commands; command?: CommandSpec; rest: readonly string[] } {
  const [name = "", ...rest] = words;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return { commands, rest: words };
  return "commands" in command ? findCommand(command.commands, rest) : { commands, command, rest };
}

/** Completes a flag of a command, the value of one, or its argument. */
function completeArgument(
  { settings, argument }: CommandSpec,
  written: readonly string[],
  word: string,
): Completion {
  const flags = new Map(Object.entries(settings).map(([flag, it]) => [`--${flag}`, it]));
  const hasValue = (flag = "") => flags.get(flag)?.form !== undefined;
  const last = flags.get(written.at(-1) ?? "");
  if (last?.form !== undefined) return completeValue(last.form, last.choices, word);
  const isGiven = written.some(
    (it, index) => (it === "-" || !it.startsWith("-")) && !hasValue(written[index - 1]),
  );
  if (argument !== undefined && !isGiven && !word.startsWith("-")) {
    const [form, , choices] = argument;
    return completeValue(form, choices, word);
  }
  const unused = [...flags].filter(([name, { isList }]) => isList || !written.includes(name));
  const candidates = unused.map(([name, { help }]) => [name, help] as const);
  return startingWith(word, [...candidates, HELP_FLAG]);
}

/** Completes a value: one of some words, or the path of a file. */
function completeValue(
  form: string,
  choices: readonly string[] | undefined,
  word: string,
): Completion {
  if (choices === undefined) return /file|path/i.test(form) ? "files" : [];
  return startingWith(
    word,
    choices.map((it) => [it, ""]),
  );
}

function startingWith(start: string, candidates: readonly Candidate[]): Completion {
  return candidates.filter(([word]) => word.startsWith(start));
}
