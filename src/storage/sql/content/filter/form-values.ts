import type { Slot as AnySlot } from "../../../db/query.ts";

/** The slot of one of the filter's values, by its number, or of a value of the list, by its name. */
export type Slot = AnySlot<number | ListValue>;

/** The values of a list that are not in its filter. */
export type ListValue =
  | "collection"
  | "visibility"
  /** The place after which the list continues. */
  | "afterKey"
  | "afterId"
  /** The place up to which two posting lists are read. */
  | "stopTime"
  | "stopId"
  /** The most rows, and the number of items to test for them. */
  | "limit"
  | "size";

/** What a statement compares with: a part of the form, or a slot. */
export type Bound = string | number | Slot;

/** Collects the values of a filter. Equal values share a slot, so that slots are the same where values are. */
export class FormValues {
  readonly #slots = new Map<string | number, Slot>();

  /** Returns the slot of a value. */
  add(value: string | number): Slot {
    const known = this.#slots.get(value);
    if (known !== undefined) return known;
    const slot = { slot: this.#slots.size };
    this.#slots.set(value, slot);
    return slot;
  }

  /** Lists the values by the numbers of their slots. */
  list(): readonly (string | number)[] {
    return [...this.#slots.keys()];
  }
}
