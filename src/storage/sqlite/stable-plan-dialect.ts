import {
  type DialectAdapter,
  type Driver,
  type QueryCompiler,
  type SqliteDatabase,
  SqliteDialect,
  SqliteQueryCompiler,
} from "kysely";
import { ConnectionQueue, QueueingAdapter, SingleConnectionDriver } from "./single-connection.ts";

/** What a connection is made of. */
export interface ConnectionOptions {
  readonly database: SqliteDatabase;
  /** Default: a queue of its own. */
  readonly queue?: ConnectionQueue;
}

/**
 * Makes SQLite keep the plan of a prepared statement whatever it is run with, by writing each parameter as `+?`.
 * Its planner looks at the value of a bare parameter in a LIMIT or an equality and then prepares the statement
 * again for every run, which takes ten times as long as a short query itself.
 */
export class StablePlanDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;
  readonly #queue: ConnectionQueue;

  constructor({ database, queue = new ConnectionQueue() }: ConnectionOptions) {
    super({ database });
    this.#database = database;
    this.#queue = queue;
  }

  override createDriver(): Driver {
    return new SingleConnectionDriver({ database: this.#database }, this.#queue);
  }

  override createAdapter(): DialectAdapter {
    return new QueueingAdapter();
  }

  override createQueryCompiler(): QueryCompiler {
    return new StablePlanCompiler();
  }
}

class StablePlanCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "+?";
  }
}
