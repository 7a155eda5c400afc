import {
  ANNOTATIONS_SETTINGS,
  BACKUP_SETTINGS,
  describeSettings,
  EXPORT_SETTINGS,
  IMPORT_SETTINGS,
  INIT_SETTINGS,
  KEYS_SETTINGS,
  RESTORE_SETTINGS,
  SETTINGS,
  TOKEN_SETTINGS,
} from "../config.ts";

/** The text of `marquee --help`: every command and every setting with its default. */
export function describeUsage(): string {
  return `marquee serve [settings]          run the service
marquee init [settings]           make the first organization, or adopt one that an import made, and
                                  show its owner's access token once
marquee annotations export --video ID [settings] [FILE]   write WebVTT chapters or CSV
marquee annotations import --video ID [settings] FILE     load them; runs no actions
marquee backup FILE [settings]    copy the database into a new file, while servers work with it;
                                  leases of players, which last minutes, are left out
marquee restore FILE [settings]   put a backup in the place of the database; servers must be stopped
marquee import FILE [settings]    load resources, one a line; - is standard input
marquee export FILE [settings]    write a project, one resource a line; - is standard output
marquee token create [settings]   make an access token and show it once
marquee token list [settings]     list access tokens
marquee token revoke ID [settings]
marquee keys rotate [settings]    sign viewer tokens with a new key from now on
marquee keys list [settings]      list the keys of viewer tokens
marquee --help

Settings of serve. A flag wins over its environment variable.
${describeSettings(SETTINGS)}

Settings of init.
${describeSettings(INIT_SETTINGS)}

Settings of import.
${describeSettings(IMPORT_SETTINGS)}

Settings of annotations.
${describeSettings(ANNOTATIONS_SETTINGS)}

Settings of backup.
${describeSettings(BACKUP_SETTINGS)}

Settings of restore.
${describeSettings(RESTORE_SETTINGS)}
Settings of export.
${describeSettings(EXPORT_SETTINGS)}

Settings of token.
${describeSettings(TOKEN_SETTINGS)}

Settings of keys.
${describeSettings(KEYS_SETTINGS)}
`;
}
