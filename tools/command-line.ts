/**
 * Writes the page of the command line from the declarations of its help to the file that is named: part of
 * `npm run generate`.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import type { CommandSpec, Commands } from "../src/cli/command.ts";
import { COMMANDS } from "../src/cli/commands/index.ts";
import { type SettingTable, variableOf } from "../src/cli/setting.ts";

const HEAD = `<!-- Generated from src/cli by tools/command-line.ts. -->

# Command line

You will find every command of \`marquee\` here, with its flags, defaults and environment variables. \`marquee help COMMAND\`
shows the same in a terminal. In a clone, the program is \`bin/marquee\`.

A flag takes precedence over its variable. A flag without a value is \`true\` in its variable. A repeated flag is a list
with commas in its variable.

| Exit code | Meaning |
|---|---|
| 0 | done |
| 1 | failed; standard error has one line about the cause |
| 2 | wrong usage: an unknown command or flag, or an invalid value |
| 130 | interrupted by Ctrl-C |
| 141 | standard output was closed |
| 143 | ended by SIGTERM; \`serve\` ends with 0 |

\`source <(marquee complete bash)\` completes commands, flags, values and files with Tab. \`marquee complete zsh\`,
\`fish\` and \`powershell\` print the scripts of these shells.
`;

const TAIL = `
## Next

[Configure](configure.md) explains the settings of \`serve\`. [Errors](errors.md#import-and-commands) lists the errors of
commands.
`;

function describeCommands(parent: string, commands: Commands): string[] {
  return Object.entries(commands).flatMap(([name, it]) => {
    const path = `${parent} ${name}`;
    return "commands" in it ? describeCommands(path, it.commands) : [describeCommand(path, it)];
  });
}

function describeCommand(path: string, { summary, settings, argument, examples }: CommandSpec) {
  const [form, help] = argument ?? [];
  const sections = [
    `\n## ${path.trim()}\n\n${toSentence(summary)}`,
    form && `\`${form}\`: ${help}.`,
    ...(Object.keys(settings).length > 0 ? [describeFlags(settings)] : []),
    `\`\`\`console\n${examples.map(([line]) => `$ marquee ${line}`).join("\n")}\n\`\`\``,
  ];
  return `${sections.filter((it) => it).join("\n\n")}\n`;
}

function describeFlags(settings: SettingTable): string {
  const rows = Object.entries(settings).map(([flag, it]) => {
    const { form, fallback, help, heading, isRequired } = it;
    const usage = form === undefined ? `--${flag}` : `--${flag} ${form.replaceAll("|", "\\|")}`;
    const preset = isRequired ? "required" : fallback === undefined ? "" : `\`${fallback}\``;
    const row = `| \`${usage}\` | ${preset} | \`${variableOf(flag)}\` | ${help} |`;
    return heading === undefined ? row : `| **${heading.slice(0, -1)}** | | | |\n${row}`;
  });
  return `| Flag | Default | Variable | Meaning |\n|---|---|---|---|\n${rows.join("\n")}`;
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const [file = "docs/command-line.md"] = process.argv.slice(2);
writeFileSync(file, `${HEAD}${describeCommands("", COMMANDS).join("")}${TAIL}`);
