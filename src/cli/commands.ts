import {
  ANNOTATIONS_EXPORT,
  ANNOTATIONS_IMPORT,
  BACKUP,
  checkImport,
  checkInit,
  checkShell,
  checkTokenList,
  EXPORT,
  IMPORT,
  INIT,
  KEYS,
  MIGRATE_DATABASE,
  RESTORE,
  SHELLS,
  STUDIO_API,
  STUDIO_LIST,
  STUDIO_WRITE,
  TOKEN_CREATE,
  TOKEN_LIST,
  TOKEN_REVOKE,
} from "./command-settings.ts";
import { limitHeap } from "./heap.ts";
import { checkServe, SERVE } from "./serve-settings.ts";
import type { ConfigOf, SettingTable } from "./setting.ts";

/** Runs a command whose settings have been read. */
export type Run = (env: NodeJS.ProcessEnv) => Promise<void>;

/** A command of the command line. */
export interface CommandSpec<Table extends SettingTable = SettingTable> {
  readonly summary: string;
  readonly settings: Table;
  /** The argument, `<required>` or `[optional]`, its meaning, and the words that it takes; without them any. */
  readonly argument?: readonly [form: string, help: string, choices?: readonly string[]];
  /** Command lines without the name of the program, with descriptions. */
  readonly examples: readonly (readonly [line: string, effect: string])[];
  /** The state after an interrupt, at any time; absent: the command handles interrupts. */
  readonly interrupted?: string;
  /**
   * Checks the settings and the argument, and returns the run, which loads the code: a small command does not load
   * the server. Throws a ConfigError.
   */
  prepare(config: ConfigOf<Table>, argument: string): Run;
}

/** Commands under one name. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: Readonly<Record<string, CommandSpec>>;
}

/** The commands by name, in the order of the help. */
export const COMMANDS: Readonly<Record<string, CommandSpec | CommandGroup>> = {
  serve: command({
    summary: "run the service",
    settings: SERVE,
    examples: [
      ["serve --demo", "try it with the demo's data"],
      ["serve --database sqlite:data/acme.db --listen 0.0.0.0:8080", "serve one machine"],
      ["serve --database postgres://marquee@db/marquee --workers 2", "serve from PostgreSQL"],
    ],
    prepare: (config) => {
      const checked = checkServe(config);
      return async (env) => {
        limitHeap();
        await (await import("./serve.ts")).serve(checked, env);
      };
    },
  }),
  init: command({
    summary: "create or adopt an organization; prints an access token of its owner",
    settings: INIT,
    examples: [
      ["init --organization Acme --database sqlite:data/acme.db", "create an organization"],
    ],
    interrupted: "an organization is created completely or not at all",
    prepare: (config) => {
      const checked = checkInit(config);
      return async () => (await import("./init.ts")).init(checked);
    },
  }),
  import: command({
    summary: "load resources, one per line",
    settings: IMPORT,
    argument: ["<file>", "file to read; - is standard input"],
    examples: [
      ["import sandbox.ndjson", "load an export"],
      ["import sandbox.ndjson --dry-run", "show what it would change"],
      ["import sandbox.ndjson --into-project staging", "copy its project into another one"],
      ["import films.csv --csv --kind creative_work --columns title=title.en", "load a table"],
    ],
    interrupted: "an import is written completely or not at all; you can run it again",
    prepare: (config, file) => {
      const checked = checkImport(config, file);
      return async () => (await import("./import.ts")).importFile(checked);
    },
  }),
  export: command({
    summary: "write a project, one resource per line",
    settings: EXPORT,
    argument: ["[file]", "file to write; default: standard output"],
    examples: [
      ["export --project sandbox sandbox.ndjson", "write a project to a file"],
      ["export --project sandbox --with-releases sandbox.ndjson", "with its drafts"],
    ],
    interrupted: "an export to a file is written completely or not at all",
    prepare: (config, file) => async (env) =>
      (await import("./export.ts")).exportProject({ ...config, file: file || "-" }, env),
  }),
  annotations: {
    summary: "export and import the annotations of a video",
    commands: {
      export: command({
        summary: "write the annotations of a video as WebVTT chapters",
        settings: ANNOTATIONS_EXPORT,
        argument: ["[file]", "file to write; default: standard output"],
        examples: [["annotations export --video match-1 chapters.vtt", "write chapters"]],
        interrupted: "the file may be incomplete",
        prepare: (config, file) => async () =>
          (await import("./annotations.ts")).exportAnnotations({ ...config, file: file || "-" }),
      }),
      import: command({
        summary: "load WebVTT chapters as annotations of a video; runs no actions",
        settings: ANNOTATIONS_IMPORT,
        argument: ["<file>", "file to read; - is standard input"],
        examples: [["annotations import --video match-1 --dry-run chapters.vtt", "check a file"]],
        interrupted: "all annotations are written or none; you can import again",
        prepare: (config, file) => async () =>
          (await import("./annotations.ts")).importAnnotations({ ...config, file }),
      }),
    },
  },
  backup: command({
    summary: "copy the database to a new file while servers use it; omits streams",
    settings: BACKUP,
    argument: ["<file>", "file to write"],
    examples: [["backup data/backup.db", "back up the default database"]],
    interrupted: "a backup is written completely or not at all",
    prepare: (config, file) => async () =>
      (await import("./database-copies.ts")).backup({ ...config, file }),
  }),
  restore: command({
    summary: "create or replace a database from a backup, with its servers stopped",
    settings: RESTORE,
    argument: ["<file>", "backup to read"],
    examples: [
      ["restore data/backup.db --database sqlite:data/restored.db", "restore next to the original"],
    ],
    interrupted: "a database is restored completely or not at all",
    prepare: (config, file) => async () =>
      (await import("./database-copies.ts")).restore({ ...config, file }),
  }),
  "migrate-database": command({
    summary: "copy a database to an empty one, of any engine",
    settings: MIGRATE_DATABASE,
    examples: [
      [
        "migrate-database --from sqlite:data/marquee.db --to postgres://marquee@db/marquee",
        "move to PostgreSQL",
      ],
    ],
    interrupted: "a copy is written completely or not at all",
    prepare: (config) => async () => (await import("./database-copies.ts")).migrateDatabase(config),
  }),
  schema: command({
    summary: "write the schema of both APIs as a descriptor set, for buf and protoc",
    settings: {},
    argument: ["[file]", "file to write or replace; default: standard output"],
    examples: [["schema marquee.binpb", "write the schema, for buf generate marquee.binpb"]],
    interrupted: "the file may be incomplete",
    prepare: (_config, file) => async (env) =>
      (await import("./schema.ts")).writeSchema(file || "-", env),
  }),
  openapi: command({
    summary: "write the OpenAPI document of both APIs",
    settings: {},
    argument: ["[file]", "file to write or replace; default: standard output"],
    examples: [["openapi openapi.json", "write the document"]],
    interrupted: "the file may be incomplete",
    prepare: (_config, file) => async (env) =>
      (await import("./schema.ts")).writeOpenApiDocument(file || "-", env),
  }),
  token: {
    summary: "create, list and revoke access tokens",
    commands: {
      create: command({
        summary: "create an access token and print it once",
        settings: TOKEN_CREATE,
        examples: [
          [
            "token create --account account-owner --name ci --days 90",
            "create a token for a pipeline",
          ],
        ],
        interrupted: "see token list",
        prepare: (config) => async () => (await import("./token.ts")).createToken(config),
      }),
      list: command({
        summary: "list access tokens",
        settings: TOKEN_LIST,
        examples: [["token list --account account-owner --json", "list the tokens of an account"]],
        interrupted: "nothing changed",
        prepare: (config) => {
          const checked = checkTokenList(config);
          return async () => (await import("./token.ts")).listTokens(checked);
        },
      }),
      revoke: command({
        summary: "revoke an access token",
        settings: TOKEN_REVOKE,
        argument: ["<id>", "id of the token"],
        examples: [["token revoke 6f1c9a1e-50b3-4c4e-9f3a-0f6c5f1d2b7a", "revoke a token"]],
        interrupted: "see token list",
        prepare: (config, id) => async () =>
          (await import("./token.ts")).revokeToken({ ...config, id }),
      }),
    },
  },
  changes: {
    summary: "list, show and revert changes of a project",
    commands: {
      list: command({
        summary: "list the newest changes of a project",
        settings: STUDIO_LIST,
        examples: [["changes list --project worldcup", "list the last 50 changes"]],
        interrupted: "nothing changed",
        prepare: (config) => async () => (await import("./changes.ts")).listChanges(config),
      }),
      show: command({
        summary: "show a change with its values",
        settings: STUDIO_API,
        argument: ["<id>", "id of the change"],
        examples: [["changes show 6f1c9a1e-50b3-4c4e-9f3a-0f6c5f1d2b7a", "show a change"]],
        interrupted: "nothing changed",
        prepare: (it, id) => async () => (await import("./changes.ts")).showChange({ ...it, id }),
      }),
      revert: command({
        summary: "take a change back",
        settings: STUDIO_WRITE,
        argument: ["<id>", "id of the change"],
        examples: [["changes revert 6f1c9a1e-50b3-4c4e-9f3a-0f6c5f1d2b7a", "take a change back"]],
        interrupted: "see changes list",
        prepare: (it, id) => async () => (await import("./changes.ts")).revertChange({ ...it, id }),
      }),
    },
  },
  releases: {
    summary: "list, check and apply releases of a project",
    commands: {
      list: command({
        summary: "list the releases of a project, the newest first",
        settings: STUDIO_LIST,
        examples: [["releases list --project worldcup", "list releases and their states"]],
        interrupted: "nothing changed",
        prepare: (config) => async () => (await import("./releases.ts")).listReleases(config),
      }),
      check: command({
        summary: "list the problems of a release; exit code 1 if there are any",
        settings: STUDIO_API,
        argument: ["<id>", "id of the release"],
        examples: [["releases check finals", "check a release"]],
        interrupted: "nothing changed",
        prepare: (it, id) => async () =>
          (await import("./releases.ts")).checkRelease({ ...it, id }),
      }),
      apply: command({
        summary: "apply a release: its drafts become current, all or none",
        settings: STUDIO_WRITE,
        argument: ["<id>", "id of the release"],
        examples: [["releases apply finals", "apply a release"]],
        interrupted: "see releases list",
        prepare: (it, id) => async () =>
          (await import("./releases.ts")).applyRelease({ ...it, id }),
      }),
    },
  },
  keys: {
    summary: "list and rotate the keys of viewer tokens",
    commands: {
      list: command({
        summary: "list the keys of viewer tokens",
        settings: KEYS,
        examples: [["keys list", "list the signing key and retired keys"]],
        interrupted: "nothing changed",
        prepare: (config) => async () => (await import("./keys.ts")).listKeys(config),
      }),
      rotate: command({
        summary: "sign viewer tokens with a new key",
        settings: KEYS,
        examples: [["keys rotate", "retire the signing key"]],
        interrupted: "see keys list",
        prepare: (config) => async () => (await import("./keys.ts")).rotateKeys(config),
      }),
    },
  },
  complete: command({
    summary: "print the script of a shell that completes commands with Tab",
    settings: {},
    argument: ["<shell>", `shell of the script: ${SHELLS.join(", ")}`, SHELLS],
    examples: [["complete bash", "print the script; source <(marquee complete bash) runs it"]],
    interrupted: "nothing changed",
    prepare: (_config, name) => {
      const shell = checkShell(name);
      return async () => {
        const { COMPLETION_SCRIPTS } = await import("./completion-scripts.ts");
        process.stdout.write(COMPLETION_SCRIPTS[shell]);
      };
    },
  }),
};

/** Infers the settings of a command from its table. */
function command<const Table extends SettingTable>(spec: CommandSpec<Table>): CommandSpec {
  return spec as CommandSpec;
}
