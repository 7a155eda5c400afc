import { EXPORTED_KINDS } from "../domain/records/record.ts";
import { openStore } from "../storage/open.ts";
import { exportLines, openExportFile, toStream } from "../transfer/export-file.ts";
import type { EXPORT, FileConfig } from "./command-settings.ts";
import { Progress } from "./progress.ts";
import { rejectBanner } from "./standard-output.ts";

/** Runs `marquee export --project ID [FILE|-]`: writes the whole project or, after an error, no file. */
export async function exportProject(
  { database, projectId, file, isForced, withReleases }: FileConfig<typeof EXPORT>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (file === "-") rejectBanner(env);
  const start = performance.now();
  const target = file === "-" ? toStream(process.stdout) : await openExportFile(file, isForced);
  const store = await openStore(database, { mustExist: true });
  const progress = new Progress(process.stderr);
  try {
    const { items, bytes } = await exportLines(store, projectId, target.write, {
      ...(withReleases && { kinds: [...EXPORTED_KINDS, "release"] as const }),
      onProgress: (now) => progress.update(now),
    });
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
