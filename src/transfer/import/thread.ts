import { parentPort, workerData } from "node:worker_threads";
import { DomainError } from "../../domain/errors.ts";
import { ProjectCopy } from "../copy/project-copy.ts";
import { LinePreparer, type PreparedPiece } from "./line-preparer.ts";
import type { ThreadAnswer, ThreadOptions, ThreadPiece } from "./prepare-thread.ts";

// The worker of `PrepareThread`: answers each chunk, in order.
const { projectId, intoProjectId } = workerData as ThreadOptions;
const copy = intoProjectId === undefined ? undefined : new ProjectCopy(intoProjectId, projectId);
let preparer: LinePreparer | undefined;

parentPort?.on("message", ({ bytes, isForNames }: ThreadPiece) => {
  const { fault, ...prepared } = isForNames ? learn(bytes) : prepare(bytes);
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

function prepare(bytes: Uint8Array | undefined): PreparedPiece {
  preparer ??= new LinePreparer(projectId, copy);
  return preparer.prepare(bytes);
}

function learn(bytes: Uint8Array | undefined): PreparedPiece {
  const nothing = { batches: [], records: 0 };
  try {
    copy?.learn(bytes);
    return nothing;
  } catch (fault) {
    if (fault instanceof DomainError) return { ...nothing, fault };
    throw fault;
  }
}
