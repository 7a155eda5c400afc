import pg, { type Submittable } from "pg";
import { TYPES, toValues } from "./values.ts";

/** A statement to send. */
export interface BatchStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
  /** The name under which the connection prepares it; undefined: it does not. */
  readonly name: string | undefined;
}

/** The result of a statement. */
export interface StatementResult {
  /** The first word of the command tag, such as `UPDATE`. */
  readonly command: string;
  /** The rows that were read or written; undefined if the command counts none. */
  readonly rowCount: number | undefined;
  readonly rows: readonly unknown[];
}

/** The connection of pg: it writes the messages of the protocol. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** The texts of prepared statements, by name; pg notes those of a query by its `name` and `text`. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  parse(statement: { name: string; text: string; types: [] }): void;
  bind(values: {
    statement: string;
    values: unknown[];
    valueMapper(value: unknown): unknown;
  }): void;
  describe(portal: { type: "P"; name: "" }): void;
  execute(portal: { portal: ""; rows: 0 }): void;
  sync(): void;
}

// pg exports it, but its types do not declare it.
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils;

/** A command tag, such as `INSERT 0 1`, `COMMIT` or `DROP INDEX`. */
const COMMAND_TAG = /^(\w+)(?:.* (\d+))?/;

/** A column of a result. */
interface Column {
  readonly name: string;
  parse(text: string): unknown;
}

/** The columns of the statements that a connection has prepared, which then need not be described again. */
const KNOWN_COLUMNS = new WeakMap<object, Map<string, readonly Column[]>>();

/**
 * Statements that are sent in one piece and answered in one: the server runs each when the one before has succeeded,
 * and skips those behind one that fails. pg itself asks for an answer to every statement, which costs both sides a
 * system call each.
 */
export class StatementBatch implements Submittable {
  readonly query_timeout: number;
  /** The results by statement; fails as the first statement does that fails. */
  readonly results: Promise<readonly StatementResult[]>;
  /** Called by pg when the time is up; it replaces this function to learn of the end. */
  callback: (fault?: unknown) => void;
  readonly #statements: readonly BatchStatement[];
  readonly #done: StatementResult[] = [];
  #known = new Map<string, readonly Column[]>();
  #columns: readonly Column[] | undefined;
  #rows: unknown[] = [];

  constructor(statements: readonly BatchStatement[], timeoutMs: number) {
    this.#statements = statements;
    this.query_timeout = timeoutMs;
    const { promise, resolve, reject } = Promise.withResolvers<readonly StatementResult[]>();
    this.results = promise;
    this.callback = (fault) => (fault === undefined ? resolve(this.#done) : reject(fault));
  }

  /** The statement that runs, which pg notes as prepared when the server has parsed it. */
  get name(): string | undefined {
    return this.#statements[this.#done.length]?.name;
  }

  get text(): string | undefined {
    return this.#statements[this.#done.length]?.text;
  }

  submit(connection: object): void {
    const wire = connection as Wire;
    this.#known = KNOWN_COLUMNS.get(wire) ?? this.#known;
    KNOWN_COLUMNS.set(wire, this.#known);
    const parsed = new Set<string>();
    wire.stream.cork();
    try {
      for (const { text, parameters, name = "" } of this.#statements) {
        if (name === "" || !(name in wire.parsedStatements || parsed.has(name))) {
          wire.parse({ name, text, types: [] });
          parsed.add(name);
        }
        wire.bind({ statement: name, values: toValues(parameters), valueMapper: prepareValue });
        if (!this.#known.has(name)) wire.describe({ type: "P", name: "" });
        wire.execute({ portal: "", rows: 0 });
      }
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: TYPES.getTypeParser(dataTypeID, "text") as Column["parse"],
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#columns ??= this.#known.get(this.name ?? "") ?? [];
    const row: Record<string, unknown> = {};
    for (const [index, { name, parse }] of this.#columns.entries()) {
      const text = fields[index];
      row[name] = text == null ? null : parse(text);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { name } = this;
    if (name !== undefined && !this.#known.has(name)) this.#known.set(name, this.#columns ?? []);
    const [, command = "", count] = COMMAND_TAG.exec(text) ?? [];
    const rowCount = count === undefined ? undefined : Number(count);
    this.#done.push({ command, rowCount, rows: this.#rows });
    this.#rows = [];
    this.#columns = undefined;
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(fault: unknown): void {
    this.callback(fault);
  }
}
