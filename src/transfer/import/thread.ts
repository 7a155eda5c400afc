import { parentPort, workerData } from "node:worker_threads";
import { DomainError } from "../../domain/errors.ts";
import { FilePreparer } from "./file-preparer.ts";
import type { PreparedPiece } from "./line-preparer.ts";
import type { ThreadAnswer, ThreadPiece } from "./prepare-thread.ts";

// The worker of `PrepareThread`: answers each chunk, in order.
const file = new FilePreparer(workerData);

parentPort?.on("message", ({ bytes, isForNames }: ThreadPiece) => {
  const { fault, ...prepared } = isForNames ? learn(bytes) : file.prepare(bytes);
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

function learn(bytes: Uint8Array | undefined): PreparedPiece {
  const nothing = { batches: [], records: 0 };
  try {
    file.learn(bytes);
    return nothing;
  } catch (fault) {
    if (fault instanceof DomainError) return { ...nothing, fault };
    throw fault;
  }
}
