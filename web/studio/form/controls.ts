import type { ComponentType } from "preact";
import type { Control } from "../schema.ts";
import { Choice, States, Switch } from "./choices.tsx";
import type { ControlProps } from "./form.tsx";
import { Json } from "./json.tsx";
import { Code, Integer, Line, Long } from "./texts.tsx";
import { Time } from "./times.tsx";

/** The control of each kind of field. */
export const CONTROLS: Readonly<Record<Control, ComponentType<ControlProps>>> = {
  choice: Choice,
  code: Code,
  duration: Line,
  ids: Json,
  integer: Integer,
  json: Json,
  languages: Json,
  line: Line,
  list: Json,
  long: Long,
  money: Json,
  object: Json,
  rows: Json,
  states: States,
  switch: Switch,
  texts: Json,
  time: Time,
  window: Json,
};
