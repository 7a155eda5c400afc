import type { DroppedComponent } from "../../../packages/client/src/delivery.ts";
import type { JsonOf } from "./json-of.ts";
import { Table } from "./parts.tsx";

const WHY: Readonly<Record<string, string>> = {
  VARIABLE_UNRESOLVED: "a variable has no value:",
  REFERENCE_NOT_FOUND: "it refers to something that does not exist or is not visible",
  CONFIGURATION_INVALID: "the value of the field is invalid",
  WORK_LIMIT: "the components before took the time of the request",
};

/** Lists the dropped components, with reasons. */
export function Dropped({ components }: { components: readonly JsonOf<DroppedComponent>[] }) {
  return (
    <Table
      caption="Dropped components"
      headings={["Component", "Field", "Why"]}
      rows={components.map(({ componentId = "", name = "", field, reason = "", ...it }) => [
        name === "" ? componentId : `${name} (${componentId})`,
        <code key="field">{field}</code>,
        `${reason}: ${explainDropped({ reason, ...it })}`,
      ])}
    />
  );
}

/** Says why a component is dropped. */
export function explainDropped({ reason = "", variable }: JsonOf<DroppedComponent>): string {
  return `${WHY[reason] ?? ""}${variable ? ` {${variable}}` : ""}`;
}
