import type { DroppedComponent } from "../../packages/client/src/delivery.ts";
import { h, table } from "./element.ts";
import type { JsonOf } from "./json-of.ts";

const WHY: Readonly<Record<string, string>> = {
  VARIABLE_UNRESOLVED: "a variable has no value:",
  REFERENCE_NOT_FOUND: "it refers to something that does not exist or is not visible",
  CONFIGURATION_INVALID: "the value of the field is invalid",
  WORK_LIMIT: "the components before took the time of the request",
};

/** Describes the dropped components, with reasons. */
export function describeDropped(dropped: readonly JsonOf<DroppedComponent>[]): HTMLElement {
  return table(
    "Dropped components",
    ["Component", "Field", "Why"],
    dropped.map(({ componentId = "", name = "", field, reason = "", ...it }) => [
      name === "" ? componentId : `${name} (${componentId})`,
      h("code", {}, field ?? ""),
      `${reason}: ${explainDropped({ reason, ...it })}`,
    ]),
  );
}

/** Says why a component is dropped. */
export function explainDropped({ reason = "", variable }: JsonOf<DroppedComponent>): string {
  return `${WHY[reason] ?? ""}${variable ? ` {${variable}}` : ""}`;
}
