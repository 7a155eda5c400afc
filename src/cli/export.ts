import { openStore } from "../storage/open.ts";
import { exportLines, openExportFile, toStream } from "../transfer/export-file.ts";
import type { ExportConfig } from "./command-settings.ts";
import { createProgress } from "./progress.ts";
import { refuseBanner } from "./standard-output.ts";

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
