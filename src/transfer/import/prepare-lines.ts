import type { RecordBatch } from "../../storage/record-import.ts";
import type { PreparedPiece } from "./line-preparer.ts";
import { PrepareThread, type ThreadOptions } from "./prepare-thread.ts";

/** The part of a file that the consumer has processed. */
export interface ImportProgress {
  readonly items: number;
  readonly bytes: number;
}

/** The options of reading a file. */
export interface PrepareOptions extends ThreadOptions {
  /** With `intoProjectId`, the same file again: its names are read before its records. */
  readonly names?: AsyncIterable<Uint8Array>;
  /** Called whenever the consumer requests more. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called at the end of the file. */
  readonly onEnd?: (progress: ImportProgress) => void;
}

/** The number of chunks prepared ahead of the consumer: enough to keep both threads busy. */
const AHEAD = 4;

/**
 * Prepares lines for the import of a store, in another thread. Throws the first fault after everything before it
 * was consumed: INVALID_ARGUMENT with line number and field.
 */
export async function* prepareLines(
  source: AsyncIterable<Uint8Array>,
  { names, onProgress, onEnd, ...options }: PrepareOptions = {},
): AsyncGenerator<RecordBatch> {
  const thread = new PrepareThread(options);
  const pending: { readonly bytes: number; readonly prepared: Promise<PreparedPiece> }[] = [];
  let [items, bytes] = [0, 0];

  const push = (piece: Uint8Array | undefined) => {
    const prepared = thread.prepare(piece);
    // It is awaited later, or not at all after an earlier fault.
    prepared.catch(() => {});
    pending.push({ bytes: piece?.length ?? 0, prepared });
  };
  async function* takeUntil(length: number): AsyncGenerator<RecordBatch> {
    while (pending.length > length) {
      const next = pending.shift();
      if (next === undefined) return;
      const { batches, records, fault } = await next.prepared;
      yield* batches;
      if (fault !== undefined) throw fault;
      items += records;
      bytes += next.bytes;
      onProgress?.({ items, bytes });
    }
  }

  try {
    if (names !== undefined) {
      for await (const piece of names) await thread.learn(piece);
      await thread.learn(undefined);
    }
    for await (const piece of source) {
      push(piece);
      yield* takeUntil(AHEAD);
    }
    push(undefined);
    yield* takeUntil(0);
    onEnd?.({ items, bytes });
  } finally {
    await thread.close();
  }
}
