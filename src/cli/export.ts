import { ConfigError, type ExportConfig } from "../config.ts";
import { openStore } from "../storage/open.ts";
import { openExportFile, toStream } from "../transfer/export/export-file.ts";
import { exportLines } from "../transfer/export/export-lines.ts";
import { createProgress } from "./progress.ts";

/** Runs `marquee export --project ID [FILE|-]`: writes the whole project or, after a fault, no file. */
export async function exportProject(
  { database, projectId, file, isForced }: ExportConfig,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (file === "-") refuseBanner(env);
  const start = performance.now();
  const target = file === "-" ? toStream(process.stdout) : await openExportFile(file, isForced);
  const store = await openStore(database, { mustExist: true });
  const progress = createProgress(process.stderr, undefined);
  try {
    const { items, bytes } = await exportLines(store, projectId, target.write, progress.update);
    await target.finish();
    progress.end();
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    process.stderr.write(`exported ${items} (${bytes} bytes) in ${seconds} s\n`);
  } finally {
    progress.end();
    await target.close();
    await store.close();
  }
}

/** Refuses standard output to which npm has written its own lines. Throws a ConfigError. */
function refuseBanner({
  npm_lifecycle_event: script,
  npm_config_loglevel: level,
}: NodeJS.ProcessEnv) {
  if (script !== "marquee" || level === "silent" || process.stdout.isTTY) return;
  throw new ConfigError(
    "npm writes its banner to standard output, before the export; name a file, or use bin/marquee",
  );
}
