import type { RecordBatch } from "../../storage/record-import.ts";
import { type FileOptions, FilePreparer } from "./file-preparer.ts";
import type { PreparedPiece } from "./line-preparer.ts";
import { PrepareThread } from "./prepare-thread.ts";

/** The part of a file that the consumer has processed. */
export interface ImportProgress {
  readonly items: number;
  readonly bytes: number;
}

/** The options of reading a file. */
export interface PrepareOptions extends FileOptions {
  /** The size of the file in bytes, if known. */
  readonly size?: number | undefined;
  /** With `intoProjectId`, the same file again: its names are read before its records. */
  readonly names?: AsyncIterable<Uint8Array>;
  /** Called whenever the consumer requests more. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called at the end of the file. */
  readonly onEnd?: (progress: ImportProgress) => void;
}

/** The number of chunks prepared ahead of the consumer: enough to keep both threads busy. */
const AHEAD = 4;

/** The size up to which a file is prepared before a thread would have started, in bytes. */
const SMALL = 1_048_576;

/**
 * Prepares lines for the import of a store, those of a large file in another thread. Throws the first fault after everything before it
 * was consumed: INVALID_ARGUMENT with line number and field.
 */
export async function* prepareLines(
  source: AsyncIterable<Uint8Array>,
  { size, names, onProgress, onEnd, ...options }: PrepareOptions = {},
): AsyncGenerator<RecordBatch> {
  const isSmall = size !== undefined && size <= SMALL;
  const preparer = isSmall ? prepareHere(options) : new PrepareThread(options);
  const pending: { readonly bytes: number; readonly prepared: Promise<PreparedPiece> }[] = [];
  let [items, bytes] = [0, 0];

  const push = (piece: Uint8Array | undefined) => {
    const prepared = preparer.prepare(piece);
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
      for await (const piece of names) await preparer.learn(piece);
      await preparer.learn(undefined);
    }
    for await (const piece of source) {
      push(piece);
      yield* takeUntil(AHEAD);
    }
    push(undefined);
    yield* takeUntil(0);
    onEnd?.({ items, bytes });
  } finally {
    await preparer.close();
  }
}

/** Prepares in this thread what {@link PrepareThread} does in another. */
function prepareHere(options: FileOptions): Pick<PrepareThread, "prepare" | "learn" | "close"> {
  const file = new FilePreparer(options);
  return {
    prepare: async (bytes) => file.prepare(bytes),
    learn: async (bytes) => file.learn(bytes),
    close: async () => {},
  };
}
