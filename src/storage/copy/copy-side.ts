import type { RowText } from "./row-text.ts";
import type { CopiedTable } from "./tables.ts";

/** The database that is read, in one snapshot. */
export interface CopySource {
  /** The number of the last applied migration. */
  readonly migration: number;
  count(table: CopiedTable): Promise<number>;
  /** Reads the rows of a table in the order of its key. */
  read(table: CopiedTable): RowText;
}

/** The database that is written, in one transaction. */
export interface CopyTarget extends Omit<CopySource, "migration"> {
  isEmpty(table: CopiedTable): Promise<boolean>;
  /** Deletes all rows of a table. */
  clear(table: CopiedTable): Promise<void>;
  /** Writes rows. Throws a {@link RowRefusal} if one cannot be stored. */
  write(table: CopiedTable, rows: RowText): Promise<void>;
  /** Drops the indexes that hold no constraint; the returned function creates them. */
  suspendIndexes(): Promise<() => Promise<void>>;
  /** Makes the numbers of new rows follow those of the copied ones. */
  continueNumbers(): Promise<void>;
}

/** Opens a database, runs a function, and closes it; what was written is committed unless the function throws. */
export type RunOn<Side> = <T>(run: (side: Side) => Promise<T>) => Promise<T>;

/** A row that the target cannot store. */
export class RowRefusal extends Error {
  override readonly name = "RowRefusal";
  /** The number of the row among those written, from 1; 0 if it is unknown. */
  readonly line: number;

  constructor(line: number, cause: unknown) {
    super("the row cannot be stored", { cause });
    this.line = line;
  }
}
