import type { DatabaseAddress } from "../storage/open.ts";
import { DATABASE_SETTING, toDatabase } from "./database.ts";
import { ConfigError, parseSettings, readerOf, type Setting } from "./setting.ts";

/** The forms of a text of annotations. */
export type AnnotationFormat = "csv" | "vtt";

/** The settings of `marquee annotations`. */
export interface AnnotationsConfig {
  readonly verb: "export" | "import";
  readonly database: DatabaseAddress;
  readonly videoId: string;
  readonly format: AnnotationFormat;
  /** A path; `-` is standard input or output. */
  readonly file: string;
  readonly isDryRun: boolean;
}

/** Every setting of `marquee annotations`. */
export const ANNOTATIONS_SETTINGS: readonly Setting[] = [
  DATABASE_SETTING,
  { flag: "video", kind: "string", fallback: "", form: "ID", help: "whose annotations" },
  {
    flag: "format",
    kind: "string",
    fallback: "",
    form: "vtt|csv",
    help: "WebVTT chapters or CSV; without it, as the name of the file ends",
  },
  {
    flag: "dry-run",
    kind: "boolean",
    form: "",
    help: "tell what an import would create, update or leave unchanged, and write nothing",
  },
];

/** Reads the settings of `annotations`. Throws a ConfigError. */
export function readAnnotationsConfig(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): AnnotationsConfig {
  const { values, positionals } = parseSettings(args, ANNOTATIONS_SETTINGS);
  const read = readerOf(values, env, ANNOTATIONS_SETTINGS);
  const [verb, file = "", ...others] = positionals;
  if (verb !== "export" && verb !== "import") {
    throw new ConfigError("annotations takes export or import");
  }
  if (others[0] !== undefined) throw new ConfigError(`unexpected argument '${others[0]}'`);
  if (verb === "import" && file === "") {
    throw new ConfigError("annotations import takes a file, or - for standard input");
  }
  const videoId = read.text("video");
  if (videoId === "") throw new ConfigError(`annotations ${verb} needs --video ID`);
  return {
    verb,
    database: toDatabase(read.text("database")),
    videoId,
    format: toFormat(read.text("format"), file),
    file: file || "-",
    isDryRun: read.flag("dry-run"),
  };
}

function toFormat(text: string, file: string): AnnotationFormat {
  const name = text || /\.(vtt|csv)$/i.exec(file)?.[1]?.toLowerCase();
  if (name === "vtt" || name === "csv") return name;
  if (text !== "") throw new ConfigError(`--format takes vtt or csv, not '${text}'`);
  throw new ConfigError("the file's name ends in neither .vtt nor .csv: say --format vtt or csv");
}
