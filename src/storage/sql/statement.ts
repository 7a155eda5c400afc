import type { Compilable, CompiledQuery, Kysely, Transaction } from "kysely";
import { runNow, runQuery } from "./run-now.ts";
import type { Schema } from "./schema.ts";
import { sendAhead } from "./send-ahead.ts";
import { bindSlots, type Slot } from "./slots.ts";

/** Stand for the values of a statement when it is built. */
const SLOTS = new Proxy({}, { get: (_, name): Slot => ({ slot: String(name) }) });

/** Runs a statement with values and returns its rows. */
export type Statement<Values, Row = unknown> = (
  db: Kysely<Schema>,
  values: Values,
) => Promise<readonly Row[]>;

/** Runs a statement of a transaction with values; its result is not needed. */
export type Write<Values> = (tx: Transaction<Schema>, values: Values) => Promise<void>;

/**
 * Creates a statement that is built once for each engine and then runs with the values of each call, as building
 * one takes longer than running it. `build` gets slots, which it may only pass to the query as single values.
 */
export function createStatement<Values extends object, Row>(
  build: (db: Kysely<Schema>, values: Values) => Compilable<Row>,
): Statement<Values, Row> {
  const bind = createQuery(build);
  return async (db, values) => {
    const query = bind(db, values);
    return runNow(db, query) ?? runQuery(db, query);
  };
}

/** Creates a statement like {@link createStatement} whose result nobody needs, and runs it by {@link sendAhead}. */
export function createWrite<Values extends object>(
  build: (db: Kysely<Schema>, values: Values) => Compilable,
): Write<Values> {
  const bind = createQuery(build);
  return (tx, values) => sendAhead(tx, bind(tx, values));
}

function createQuery<Values extends object, Row>(
  build: (db: Kysely<Schema>, values: Values) => Compilable<Row>,
): (db: Kysely<Schema>, values: Values) => CompiledQuery<Row> {
  /** By the class that stands for the engine. */
  const compiled = new Map<unknown, CompiledQuery<Row>>();
  return (db, values) => {
    const engine = db.getExecutor().adapter.constructor;
    const built = compiled.get(engine) ?? build(db, SLOTS as Values).compile();
    if (!compiled.has(engine)) compiled.set(engine, built);
    return bindSlots(built, (slot) => values[slot as keyof Values]);
  };
}

/** Creates the statements that differ in a key such as their table, each on first use. */
export function createStatements<Key, Values extends object, Row>(
  build: (db: Kysely<Schema>, values: Values, key: Key) => Compilable<Row>,
): (key: Key) => Statement<Values, Row> {
  return createOnce((key: Key) => createStatement((db, values) => build(db, values, key)));
}

/** Creates the writes that differ in a key, each on first use. */
export function createWrites<Key, Values extends object>(
  build: (db: Kysely<Schema>, values: Values, key: Key) => Compilable,
): (key: Key) => Write<Values> {
  return createOnce((key: Key) => createWrite((db, values) => build(db, values, key)));
}

function createOnce<Key, T>(create: (key: Key) => T): (key: Key) => T {
  const created = new Map<Key, T>();
  return (key) => {
    const known = created.get(key) ?? create(key);
    created.set(key, known);
    return known;
  };
}
