import { listNearNames } from "../domain/base/text.ts";
import { COMMANDS, type CommandGroup, type CommandSpec } from "./commands.ts";
import { variableOf } from "./setting.ts";

const PREFIX = "MARQUEE_";

/** The variables that Kubernetes sets in every container for a service named `marquee`. */
const SERVICE_LINK = /^MARQUEE_(\w+_)?(SERVICE_(HOST|PORT\w*)|PORT(_\d+_(TCP|UDP)\w*)?)$/;

/** Warns on standard error about variables that look like settings but are not. */
export function warnOfUnknownVariables(env: NodeJS.ProcessEnv): void {
  const known = new Set(listFlags(COMMANDS).map((flag) => variableOf(flag).slice(PREFIX.length)));
  for (const name of Object.keys(env)) {
    if (!name.startsWith(PREFIX) || known.has(name.slice(PREFIX.length))) continue;
    if (SERVICE_LINK.test(name)) continue;
    const [near] = listNearNames(name.slice(PREFIX.length), known);
    const hint = near === undefined ? "" : `; did you mean ${PREFIX}${near}?`;
    process.stderr.write(`marquee: warning: unknown setting ${name}${hint}\n`);
  }
}

function listFlags(commands: Readonly<Record<string, CommandSpec | CommandGroup>>): string[] {
  return Object.values(commands).flatMap((it) =>
    "commands" in it ? listFlags(it.commands) : Object.values(it.settings).map(({ flag }) => flag),
  );
}
