import { Code, DomainError } from "../../domain/errors.ts";
import { type CopySource, type CopyTarget, RowRefusal, type RunOn } from "./copy-side.ts";
import { createLineParser, createRowSummary, type RowSum, sumRows, toLines } from "./row-text.ts";
import { COPIED_TABLES, type CopiedTable, SHORT_LIVED, type TableName } from "./tables.ts";

/** The step of a copy that runs. */
export type MoveProgress =
  | { readonly step: "rows"; readonly rows: number; readonly size: number }
  | { readonly step: "indexes" | "comparison" };

/** Options of a copy. */
export interface MoveOptions {
  readonly onProgress?: (progress: MoveProgress) => void;
}

/** Summarizes a copy. */
export interface MoveSummary {
  /** The number of the last applied migration. */
  readonly migration: number;
  /** The number of rows of each table. */
  readonly counts: readonly (readonly [table: TableName, rows: number])[];
}

/**
 * Copies all rows from one database to another, which must be empty, rebuilds what the target derives from them,
 * and compares both. Throws a DomainError: FAILED_PRECONDITION `DATABASE_NOT_EMPTY`, or `ROW_REFUSED` if the target
 * cannot store a row, or INTERNAL `DATABASE_COPY_DIFFERS` if the target does not return what was written.
 */
export async function copyDatabase(
  runOnSource: RunOn<CopySource>,
  runOnTarget: RunOn<CopyTarget>,
  { onProgress = () => {} }: MoveOptions = {},
): Promise<MoveSummary> {
  return runOnSource((source) =>
    runOnTarget(async (target) => {
      await prepare(target);
      const createIndexes = await target.suspendIndexes();
      const sums = await copyRows(source, target, onProgress).catch(async (fault) => {
        throw fault instanceof TableRefusal ? await toDomainError(runOnSource, fault) : fault;
      });
      onProgress({ step: "indexes" });
      await createIndexes();
      await target.continueNumbers();
      onProgress({ step: "comparison" });
      await compare(target, sums);
      const counts = [...sums].map(([{ name }, { rows }]) => [name, rows] as const);
      return { migration: source.migration, counts };
    }),
  );
}

/** Checks that a target is empty. */
async function prepare(target: CopyTarget): Promise<void> {
  for (const table of COPIED_TABLES) {
    if (SHORT_LIVED.includes(table.name)) {
      await target.clear(table);
    } else if (!(await target.isEmpty(table))) {
      throw new DomainError(
        Code.FAILED_PRECONDITION,
        "DATABASE_NOT_EMPTY",
        `the target is not empty: table ${table.name} has rows; use a new database`,
      );
    }
  }
}

/** Copies all tables; returns what was read of each. */
async function copyRows(
  source: CopySource,
  target: CopyTarget,
  onProgress: (progress: MoveProgress) => void,
): Promise<ReadonlyMap<CopiedTable, RowSum>> {
  let size = 0;
  for (const table of COPIED_TABLES) size += await source.count(table);
  let rows = 0;
  const sums = new Map<CopiedTable, RowSum>();
  for (const table of COPIED_TABLES) {
    const summary = createRowSummary((count) => {
      rows += count;
      onProgress({ step: "rows", rows, size });
    });
    try {
      await target.write(table, summary.pass(source.read(table)));
    } catch (fault) {
      throw fault instanceof RowRefusal ? new TableRefusal(table, fault) : fault;
    }
    sums.set(table, summary.end());
  }
  return sums;
}

async function compare(target: CopyTarget, sums: ReadonlyMap<CopiedTable, RowSum>): Promise<void> {
  for (const [table, want] of sums) {
    const got = await sumRows(target.read(table));
    if (got.rows === want.rows && got.checksum === want.checksum) continue;
    const found =
      got.rows === want.rows
        ? `the checksums of its ${want.rows} rows differ`
        : `${want.rows} rows were read, but ${got.rows} are stored`;
    throw new DomainError(
      Code.INTERNAL,
      "DATABASE_COPY_DIFFERS",
      `table ${table.name} differs in the target: ${found}; nothing was moved`,
    );
  }
}

/** A row of a table that the target cannot store. */
class TableRefusal extends Error {
  override readonly name = "TableRefusal";
  readonly table: CopiedTable;
  readonly refusal: RowRefusal;

  constructor(table: CopiedTable, refusal: RowRefusal) {
    super(refusal.message, { cause: refusal.cause });
    this.table = table;
    this.refusal = refusal;
  }
}

/** Describes a refused row by its key, which a new snapshot of the source tells. */
async function toDomainError(
  runOnSource: RunOn<CopySource>,
  { table, refusal: { line, cause } }: TableRefusal,
): Promise<DomainError> {
  const key = line > 0 ? await runOnSource((source) => findKey(source, table, line)) : undefined;
  const row = key === undefined ? "a row" : `the row ${key}`;
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "ROW_REFUSED",
    `the target cannot store ${row} of table ${table.name}`,
    { cause },
  );
}

async function findKey(
  source: CopySource,
  table: CopiedTable,
  line: number,
): Promise<string | undefined> {
  const parse = createLineParser(table);
  let before = 0;
  for await (const lines of toLines(source.read(table))) {
    const found = lines[line - before - 1];
    before += lines.length;
    if (found === undefined) continue;
    const row = parse(found);
    return table.columns
      .flatMap(([name], index) => (table.key.includes(name) ? [`${name} ${row[index]}`] : []))
      .join(", ");
  }
  return undefined;
}
