import type { ComponentType } from "preact";
import type { Control } from "../schema.ts";
import { Chips } from "./chips.tsx";
import { Choice, States, Switch } from "./choices.tsx";
import type { ControlProps } from "./control.ts";
import { Json } from "./json.tsx";
import { Languages, Texts } from "./keyed-texts.tsx";
import { Nested } from "./nested.tsx";
import { Decimal, Integer, Money } from "./numbers.tsx";
import { Ids } from "./references.tsx";
import { Rows } from "./rows.tsx";
import { Code, Line, Long } from "./texts.tsx";
import { Duration, Time, Window } from "./times.tsx";

/** How a field is edited. */
interface Editing {
  readonly control: ComponentType<ControlProps>;
  /** True if it has several inputs, each with a name of its own. */
  readonly isGroup: boolean;
}

const one = (control: ComponentType<ControlProps>): Editing => ({ control, isGroup: false });
const group = (control: ComponentType<ControlProps>): Editing => ({ control, isGroup: true });

/** The control of each kind of field. */
export const CONTROLS: Readonly<Record<Control, Editing>> = {
  choice: one(Choice),
  code: one(Code),
  duration: one(Duration),
  ids: group(Ids),
  integer: one(Integer),
  json: group(Json),
  languages: group(Languages),
  line: one(Line),
  list: group(Chips),
  long: one(Long),
  money: group(Money),
  number: one(Decimal),
  object: group(Nested),
  rows: group(Rows),
  states: one(States),
  switch: one(Switch),
  texts: group(Texts),
  time: one(Time),
  window: group(Window),
};
