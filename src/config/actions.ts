import type { Setting } from "./setting.ts";

/** The settings of actions. */
export const ACTION_SETTINGS: readonly Setting[] = [
  {
    flag: "actions-allow-private",
    kind: "boolean",
    form: "",
    help: "let actions reach http, loopback and the own network; for development",
  },
  {
    flag: "no-actions",
    kind: "boolean",
    form: "",
    help: "leave what annotations set off to other processes with the same database",
  },
];
