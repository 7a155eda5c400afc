import type { CopyProgress } from "../storage/backup.ts";
import { createProgress, type Progress, type ProgressOutput } from "./progress.ts";

const MIB = 1_048_576;

/** Creates the progress display of a backup or restore: on a terminal only, to keep the logs of nightly jobs short. */
export function createCopyProgress(output: ProgressOutput) {
  let progress: Progress | undefined;
  return {
    /** Shows the progress. */
    update(now: CopyProgress): void {
      if (!output.isTTY) return;
      if (now.step === "check") {
        progress?.tell("copied, checking");
        return;
      }
      progress ??= createProgress(output, now.size, undefined, " MiB");
      progress.update({ items: Math.floor(now.bytes / MIB), bytes: now.bytes });
    },
    /** Clears the line. */
    end: () => progress?.end(),
  };
}
