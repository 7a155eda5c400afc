import {
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryCompiler,
} from "kysely";
import { MarqueeQueryCompiler } from "./query-compiler.ts";

/** Kysely's dialect over a driver. */
export class PostgresDialect implements Dialect {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  createAdapter(): DialectAdapter {
    return new PostgresAdapter();
  }

  createDriver(): Driver {
    return this.#driver;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the type of Kysely's interface.
  createIntrospector(db: Kysely<any>): DatabaseIntrospector {
    return new PostgresIntrospector(db);
  }

  createQueryCompiler(): QueryCompiler {
    return new MarqueeQueryCompiler();
  }
}
