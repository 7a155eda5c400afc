import { parentPort, workerData } from "node:worker_threads";
import { LinePreparer } from "./line-preparer.ts";
import type { ThreadAnswer, ThreadOptions } from "./prepare-thread.ts";

// The other side of `PrepareThread`: one answer to each piece, in their order.
const { projectId } = workerData as ThreadOptions;
const preparer = new LinePreparer(projectId);
parentPort?.on("message", (piece: Uint8Array | undefined) => {
  const { fault, ...prepared } = preparer.prepare(piece);
  const answer: ThreadAnswer = {
    ...prepared,
    ...(fault !== undefined && {
      fault: {
        code: fault.code,
        reason: fault.reason,
        message: fault.message,
        fields: fault.fields,
        metadata: fault.metadata,
      },
    }),
  };
  parentPort?.postMessage(answer);
});
