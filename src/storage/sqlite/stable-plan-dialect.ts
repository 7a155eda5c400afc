import { type QueryCompiler, SqliteDialect, SqliteQueryCompiler } from "kysely";

/**
 * Makes SQLite keep the plan of a prepared statement whatever it is run with, by writing each parameter as `+?`.
 * Its planner looks at the value of a bare parameter in a LIMIT or an equality and then prepares the statement
 * again for every run, which takes ten times as long as a short query itself.
 */
export class StablePlanDialect extends SqliteDialect {
  override createQueryCompiler(): QueryCompiler {
    return new StablePlanCompiler();
  }
}

class StablePlanCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "+?";
  }
}
