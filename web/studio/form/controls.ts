import type { ComponentType } from "preact";
import type { Control } from "../schema.ts";
import { Chips } from "./chips.tsx";
import { Choice, States, Switch } from "./choices.tsx";
import type { ControlProps } from "./control.ts";
import { Json } from "./json.tsx";
import { Languages, Texts } from "./keyed-texts.tsx";
import { Nested } from "./nested.tsx";
import { Money, Numeric } from "./numbers.tsx";
import { Ids } from "./references.tsx";
import { Rows } from "./rows.tsx";
import { Line, Lines } from "./texts.tsx";
import { Duration, Time, Window } from "./times.tsx";

/** The control of each kind of field. */
export const CONTROLS: Readonly<Record<Control, ComponentType<ControlProps>>> = {
  choice: Choice,
  code: Lines,
  duration: Duration,
  ids: Ids,
  integer: Numeric,
  json: Json,
  languages: Languages,
  line: Line,
  list: Chips,
  long: Lines,
  money: Money,
  number: Numeric,
  object: Nested,
  rows: Rows,
  states: States,
  switch: Switch,
  texts: Texts,
  time: Time,
  window: Window,
};

/** The controls that have several inputs, each with a name of its own. */
export const GROUPS: ReadonlySet<Control> = new Set([
  ...(["ids", "json", "languages", "list", "money", "object", "rows", "texts", "window"] as const),
]);
