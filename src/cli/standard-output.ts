import { ConfigError } from "./setting.ts";

/** Refuses standard output to which npm has written its own lines. Throws a ConfigError. */
export function refuseBanner({
  npm_lifecycle_event: script,
  npm_config_loglevel: level,
}: NodeJS.ProcessEnv): void {
  if (script !== "marquee" || level === "silent" || process.stdout.isTTY) return;
  throw new ConfigError(
    "npm writes its banner to standard output, before the output; name a file, or use bin/marquee",
  );
}
