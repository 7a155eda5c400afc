import type { CompiledQuery } from "kysely";
import type { Bound, ListValue } from "../filter/form-values.ts";

/** The values that a statement is run with. */
export interface StatementValues {
  /** The values of the filter, by the numbers of their slots. */
  readonly filter: readonly (string | number)[];
  readonly list: Readonly<Partial<Record<ListValue, string | number>>>;
}

/** A statement that was compiled with slots in the place of values. */
export class PlannedStatement<T> {
  readonly #compiled: CompiledQuery<T>;

  constructor(compiled: CompiledQuery<T>) {
    this.#compiled = compiled;
  }

  /** Returns the query with the values of a request. */
  bind({ filter, list }: StatementValues): CompiledQuery<T> {
    const { sql, query, queryId } = this.#compiled;
    const parameters = (this.#compiled.parameters as readonly Bound[]).map((bound) => {
      if (typeof bound !== "object") return bound;
      const { slot } = bound;
      const value = typeof slot === "number" ? filter[slot] : list[slot];
      if (value === undefined) throw new Error(`the list has no value for ${slot}`);
      return value;
    });
    return { sql, query, queryId, parameters };
  }
}
