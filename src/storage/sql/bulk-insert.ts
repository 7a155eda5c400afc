import { type Insertable, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { type Slot, Statement } from "../db/query.ts";
import type { Schema } from "../db/schema.ts";

/** The rows of one INSERT, enough to make its fixed cost small. */
const CHUNK = 100;

/** The rows of one INSERT of a template: as many as possible, then what is left. */
const TEMPLATE_CHUNKS: readonly number[] = [300, CHUNK];

/** The most templates with statements of their own. */
const MOST_TEMPLATES = 100;

/**
 * Rows that belong together and are inserted often, without their first column. Values that differ each time are
 * undefined.
 */
export type RowTemplate = readonly (readonly (number | null | undefined)[])[];

/** Inserts many rows into one table. Statements after `flush` find them. */
export interface BulkInsert<Row extends readonly unknown[]> {
  /** Adds a row, its values in the order of the columns. */
  add(...row: Row): void;
  /**
   * Adds the rows of a template: `first` is the first column of each, and `values` replace what is undefined, in
   * order. Fast for a template that is added several times in succession.
   */
  addRows(template: RowTemplate, first: Row[0], values: readonly unknown[]): void;
  flush(): Promise<void>;
  /** Flushes rows that are enough for the fixed costs of writing to be small. */
  flushIfFull(): Promise<void>;
}

type RowOf<Row, Columns extends readonly (keyof Row)[]> = {
  readonly [Index in keyof Columns]: Columns[Index] extends keyof Insertable<Row>
    ? Exclude<Insertable<Row>[Columns[Index]], undefined>
    : never;
};

/** Additions of one template in succession; without a template, any rows. */
interface Run {
  readonly template: RowTemplate | undefined;
  /** The values of whole rows, or of each addition those that the template lacks. */
  readonly parameters: unknown[];
}

/**
 * Creates an insert of rows with the given columns. The statement of a full chunk is compiled once, as compiling
 * takes longer than running. That of a template has its constants in the text, as binding takes longer than
 * inserting.
 */
export function createBulkInsert<
  Table extends keyof Schema,
  const Columns extends readonly (keyof Schema[Table] & string)[],
>(tx: Tx, table: Table, columns: Columns): BulkInsert<RowOf<Schema[Table], Columns>> {
  const statements = new Map<number, Statement>();
  /** By template and the number of its additions. */
  const ofTemplates = new Map<RowTemplate, Map<number, Statement>>();
  let runs: Run[] = [];

  /** Returns an insert of rows; undefined stands for the next of its parameters. */
  const toStatement = (rows: readonly (readonly unknown[])[]) =>
    new Statement(() => {
      let parameters = 0;
      const toValue = (value: unknown) => {
        if (value !== undefined) return sql.lit(value);
        parameters += 1;
        return sql`${{ slot: parameters - 1 } satisfies Slot}`;
      };
      const listed = rows.map(
        (row) => sql`(${sql.join(columns.map((_, at) => toValue(row[at])))})`,
      );
      return sql`
        insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
        values ${sql.join(listed)}
      `;
    });

  async function insert(parameters: readonly unknown[]): Promise<void> {
    const rows = parameters.length / columns.length;
    const statement =
      statements.get(rows) ?? toStatement(Array.from({ length: rows }, (): unknown[] => []));
    statements.set(rows, statement);
    await tx.run(statement.bind((slot) => parameters[Number(slot)]));
  }

  async function insertChunks(parameters: readonly unknown[]): Promise<void> {
    const size = CHUNK * columns.length;
    for (let from = 0; from < parameters.length; from += size) {
      await insert(parameters.slice(from, from + size));
    }
  }

  async function insertTemplate(template: RowTemplate, parameters: unknown[]): Promise<void> {
    let from = 0;
    for (const chunk of TEMPLATE_CHUNKS) {
      const times = Math.floor(chunk / template.length);
      const size = times * countParameters(template);
      for (; times > 0 && from + size <= parameters.length; from += size) {
        const statement = toTemplateStatement(template, times);
        if (statement === undefined) break;
        const start = from;
        await tx.run(statement.bind((slot) => parameters[start + Number(slot)]));
      }
    }
    await insertChunks(expand(template, parameters.slice(from)));
  }

  /** Compiles the insert of several additions of a template; undefined if there are too many templates. */
  function toTemplateStatement(template: RowTemplate, times: number): Statement | undefined {
    const own = ofTemplates.get(template) ?? new Map<number, Statement>();
    if (!ofTemplates.has(template)) {
      if (ofTemplates.size >= MOST_TEMPLATES) return undefined;
      ofTemplates.set(template, own);
    }
    const known = own.get(times);
    if (known !== undefined) return known;
    const rows = template.map((row) => [undefined, ...row]);
    const statement = toStatement(Array.from({ length: times }, () => rows).flat());
    own.set(times, statement);
    return statement;
  }

  function runOf(template: RowTemplate | undefined): unknown[] {
    const last = runs.at(-1);
    if (last !== undefined && last.template === template) return last.parameters;
    const run: Run = { template, parameters: [] };
    runs.push(run);
    return run.parameters;
  }

  async function flush(): Promise<void> {
    const all = runs;
    runs = [];
    for (const { template, parameters } of all) {
      if (template === undefined) await insertChunks(parameters);
      else await insertTemplate(template, parameters);
    }
  }

  return {
    add(...row) {
      runOf(undefined).push(...row);
    },

    addRows(template, first, values) {
      if (template.length === 0) return;
      const parameters = runOf(template);
      let at = 0;
      for (const row of template) {
        parameters.push(first);
        for (const value of row) {
          if (value !== undefined) continue;
          parameters.push(values[at]);
          at += 1;
        }
      }
    },

    flush,
    flushIfFull: flush,
  };
}

function countParameters(template: RowTemplate): number {
  const open = template.flat().filter((value) => value === undefined);
  return template.length + open.length;
}

/** Returns the whole rows of additions of a template. */
function expand(template: RowTemplate, parameters: readonly unknown[]): unknown[] {
  const rows: unknown[] = [];
  for (let at = 0; at < parameters.length; ) {
    for (const row of template) {
      rows.push(parameters[at]);
      at += 1;
      for (const value of row) {
        rows.push(value === undefined ? parameters[at] : value);
        if (value === undefined) at += 1;
      }
    }
  }
  return rows;
}
