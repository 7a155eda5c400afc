import {
  type CompiledQuery,
  createQueryId,
  DummyDriver,
  Kysely,
  type QueryCompiler,
  type RawBuilder,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import type { Schema } from "../../../gen/tables.ts";
import { SqlText } from "./sql-text.ts";

/** Builds queries for every engine; a {@link Query} is compiled by the database that runs it. */
export const build = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** A query made with Kysely's builders and templates. */
export interface BuiltQuery<Row> {
  toOperationNode(): RootOperationNode;
  compile(...args: never[]): CompiledQuery<Row>;
}

/**
 * A query that a database runs: one of {@link build}, a template of Kysely's `sql` or of ours, or a statement with
 * its values.
 */
export type Query<Row = unknown> = BuiltQuery<Row> | SqlText<Row> | BoundStatement<Row>;

/** Stands for a value in a statement that is compiled once and run with other values each time. */
export interface Slot {
  readonly slot: string;
}

/** Reports whether a parameter is a slot. */
export function isSlot(parameter: unknown): parameter is Slot {
  return typeof parameter === "object" && parameter !== null && "slot" in parameter;
}

/** The text of a query for an engine, with its values. */
export interface CompiledText {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Compiles queries for an engine. */
export interface EngineCompiler extends QueryCompiler {
  /** Returns the placeholder of a parameter, counted from 1. */
  placeholderOf(index: number): string;
}

/** A query that is built and compiled once for each engine, because that takes longer than running it. */
interface Statement<Row> {
  /** Its values may be slots. */
  readonly build: () => BuiltQuery<Row>;
  readonly compiled: Map<EngineCompiler, CompiledText>;
}

/** A statement with the values of its slots. */
export class BoundStatement<Row = unknown> {
  readonly #statement: Statement<Row>;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(statement: Statement<Row>, values: Readonly<Record<string, unknown>>) {
    this.#statement = statement;
    this.#values = values;
  }

  /** Compiles the statement for an engine, with its values; a slot without a value is a programming error. */
  compileWithValues(compiler: EngineCompiler): CompiledText {
    const { build, compiled } = this.#statement;
    const statement = compiled.get(compiler) ?? compile(build(), compiler);
    compiled.set(compiler, statement);
    const { text, values } = statement;
    const all = values.map((value) => {
      if (!isSlot(value)) return value;
      const bound = this.#values[value.slot];
      if (bound === undefined) throw new Error(`the statement has no value for ${value.slot}`);
      return bound;
    });
    return { text, values: all };
  }
}

/** Compiles a query for an engine, with its values. */
export function compile(query: Query, compiler: EngineCompiler): CompiledText {
  if (query instanceof BoundStatement) return query.compileWithValues(compiler);
  if (query instanceof SqlText) {
    return { text: query.write((index) => compiler.placeholderOf(index)), values: query.values };
  }
  const { sql, parameters } = compiler.compileQuery(query.toOperationNode(), createQueryId());
  return { text: sql, values: parameters };
}

/** Returns the slot of a named value in the query of {@link prepare}. */
export type SlotOf<Values> = <Name extends keyof Values & string>(
  name: Name,
) => RawBuilder<Values[Name]>;

/** Returns a statement with named values: a query that is built once and then runs with the values of each call. */
export function prepare<Values extends object, Row>(
  build: (slot: SlotOf<Values>) => BuiltQuery<Row>,
): (values: Values) => BoundStatement<Row> {
  const statement = {
    build: () => build((slot) => sql`${{ slot } satisfies Slot}`),
    compiled: new Map<EngineCompiler, CompiledText>(),
  };
  return (values) => new BoundStatement(statement, values as Readonly<Record<string, unknown>>);
}

/** Returns statements like {@link prepare} that differ in a key such as their table, each created on first use. */
export function prepareByKey<Key, Values extends object, Row>(
  build: (slot: SlotOf<Values>, key: Key) => BuiltQuery<Row>,
): (key: Key, values: Values) => BoundStatement<Row> {
  const prepared = new Map<Key, (values: Values) => BoundStatement<Row>>();
  return (key, values) => {
    const statement = prepared.get(key) ?? prepare((slot: SlotOf<Values>) => build(slot, key));
    prepared.set(key, statement);
    return statement(values);
  };
}

/** A value, or the slot of one. */
export type Operand<T> = T | RawBuilder<T>;
