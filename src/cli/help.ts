import {
  ANNOTATIONS,
  BACKUP,
  describeSettings,
  EXPORT,
  IMPORT,
  INIT,
  KEYS,
  MIGRATE_DATABASE,
  RESTORE,
  SERVE,
  type SettingTable,
  TOKEN,
} from "../config.ts";

/** A command with its forms, each with its effect, and its settings. */
interface CommandHelp {
  readonly name: string;
  readonly forms: readonly (readonly [usage: string, effect: string])[];
  readonly settings: SettingTable;
}

const COMMANDS: readonly CommandHelp[] = [
  { name: "serve", forms: [["serve", "run the service"]], settings: SERVE },
  {
    name: "init",
    forms: [
      ["init", "create the first organization, or adopt an imported one; prints its owner's token"],
    ],
    settings: INIT,
  },
  {
    name: "import",
    forms: [["import FILE", "load resources, one per line; - is standard input"]],
    settings: IMPORT,
  },
  {
    name: "export",
    forms: [["export [FILE]", "write a project, one resource per line; - is standard output"]],
    settings: EXPORT,
  },
  {
    name: "annotations",
    forms: [
      ["annotations export [FILE]", "write the annotations of a video as WebVTT chapters or CSV"],
      ["annotations import FILE", "load annotations of a video; runs no actions"],
    ],
    settings: ANNOTATIONS,
  },
  {
    name: "backup",
    forms: [
      [
        "backup FILE",
        "copy the database to a new file, also while servers use it; omits streams of viewers",
      ],
    ],
    settings: BACKUP,
  },
  {
    name: "restore",
    forms: [
      [
        "restore FILE",
        "create the database from a backup; --replace replaces one, with its servers stopped",
      ],
    ],
    settings: RESTORE,
  },
  {
    name: "migrate-database",
    forms: [["migrate-database", "copy a database to an empty one, of any engine"]],
    settings: MIGRATE_DATABASE,
  },
  {
    name: "token",
    forms: [
      ["token create", "create an access token and print it once"],
      ["token list", "list access tokens"],
      ["token revoke ID", "revoke an access token"],
    ],
    settings: TOKEN,
  },
  {
    name: "keys",
    forms: [
      ["keys list", "list the keys of viewer tokens"],
      ["keys rotate", "sign viewer tokens with a new key from now on"],
    ],
    settings: KEYS,
  },
];

/** Describes every command and every setting with its default: the text of `marquee --help`. */
export function describeUsage(): string {
  const forms = COMMANDS.flatMap((command) => command.forms);
  const width = Math.max(...forms.map(([usage]) => usage.length));
  const usages = forms.map(([usage, effect]) => `marquee ${usage.padEnd(width)}  ${effect}`);
  const settings = COMMANDS.map(
    ({ name, settings: table }) => `Settings of ${name}\n${describeSettings(table)}`,
  );
  return `${usages.join("\n")}

Flags follow the command. A flag takes precedence over its environment variable.

${settings.join("\n\n")}
`;
}
