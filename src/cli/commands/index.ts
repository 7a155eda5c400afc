import type { Commands } from "../command.ts";
import { ANNOTATIONS } from "./annotations.ts";
import { BACKUP, RESTORE } from "./backup.ts";
import { CHANGES } from "./changes.ts";
import { COMPLETE } from "./complete.ts";
import { EXPORT } from "./export.ts";
import { IMPORT } from "./import.ts";
import { INIT } from "./init.ts";
import { KEYS } from "./keys.ts";
import { MIGRATE_DATABASE } from "./migrate-database.ts";
import { RELEASES } from "./releases.ts";
import { OPENAPI, SCHEMA } from "./schema.ts";
import { SERVE } from "./serve.ts";
import { TOKEN } from "./token.ts";

/** The commands by name, in the order of the help. */
export const COMMANDS: Commands = {
  serve: SERVE,
  init: INIT,
  import: IMPORT,
  export: EXPORT,
  annotations: ANNOTATIONS,
  backup: BACKUP,
  restore: RESTORE,
  "migrate-database": MIGRATE_DATABASE,
  schema: SCHEMA,
  openapi: OPENAPI,
  token: TOKEN,
  changes: CHANGES,
  releases: RELEASES,
  keys: KEYS,
  complete: COMPLETE,
};
