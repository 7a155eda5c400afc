import type { CompiledQuery } from "kysely";

/** Stands for a value in a statement that is compiled once and run with other values each time. */
export interface Slot<Name extends number | string = number | string> {
  readonly slot: Name;
}

/** Returns a compiled query with values in the place of its slots; a slot without a value is a programming error. */
export function bindSlots<T>(
  { sql, query, queryId, parameters }: CompiledQuery<T>,
  findValue: (slot: number | string) => unknown,
): CompiledQuery<T> {
  const bound = parameters.map((parameter) => {
    if (!isSlot(parameter)) return parameter;
    const value = findValue(parameter.slot);
    if (value === undefined) throw new Error(`the statement has no value for ${parameter.slot}`);
    return value;
  });
  return { sql, query, queryId, parameters: bound };
}

/** Reports whether a parameter is a slot. */
export function isSlot(parameter: unknown): parameter is Slot {
  return typeof parameter === "object" && parameter !== null && "slot" in parameter;
}
