import type { CopyProgress } from "../storage/backup.ts";
import { createProgress, type Progress, type ProgressOutput } from "./progress.ts";

const MIB = 1_048_576;

/**
 * Creates what shows how far a backup or a restore is: on a terminal alone, since what runs by itself
 * at night writes only what somebody has to read.
 */
export function createCopyProgress(output: ProgressOutput) {
  let progress: Progress | undefined;
  return {
    /** Takes how far it is. */
    update(now: CopyProgress): void {
      if (!output.isTTY) return;
      if (now.step === "check") {
        progress?.tell("copied, checking");
        return;
      }
      progress ??= createProgress(output, now.size, undefined, " MiB");
      progress.update({ items: Math.floor(now.bytes / MIB), bytes: now.bytes });
    },
    /** Leaves a clean line behind. */
    end: () => progress?.end(),
  };
}
