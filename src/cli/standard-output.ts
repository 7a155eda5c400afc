import { ConfigError } from "./setting.ts";

/** Rejects standard output that already contains lines of npm. Throws a ConfigError. */
export function rejectBanner({
  npm_lifecycle_event: script,
  npm_config_loglevel: level,
}: NodeJS.ProcessEnv): void {
  if (script !== "marquee" || level === "silent" || process.stdout.isTTY) return;
  throw new ConfigError(
    "npm writes its banner to standard output; pass a file, or use bin/marquee",
  );
}
