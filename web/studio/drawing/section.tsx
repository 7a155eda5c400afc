import type { ComponentChildren } from "preact";
import type { Compared } from "./compare.ts";
import { Component } from "./component.tsx";
import { ChangeMarks, Differences } from "./differences.tsx";
import { useDrawing } from "./drawing.ts";
import { Badge, Text } from "./parts.tsx";
import { titleOf } from "./resolved.ts";
import { toWords } from "./text.ts";

/** A component with its heading, and how it differs from the current version. */
export function Section({
  compared: { resolved, changes, differences },
  header,
  panel,
  ...attributes
}: {
  compared: Compared;
  /** At the end of the heading. */
  header?: ComponentChildren;
  /** Below the heading. */
  panel?: ComponentChildren;
  id?: string;
  tabIndex?: number;
}) {
  const { language } = useDrawing();
  const { component = {} } = resolved;
  const { id = "", type = "" } = component;
  return (
    <section
      {...attributes}
      data-type={type}
      data-changes={changes.join(" ") || undefined}
      aria-labelledby={`title-${id}`}
    >
      <header>
        <h2 id={`title-${id}`}>
          <Text of={titleOf(resolved, language)} />
        </h2>
        <span class="type" title={type}>
          {toWords(type.replace(/_v\d+$/, ""))}
        </span>
        <Badge of={component} />
        <ChangeMarks changes={changes} />
        {header}
      </header>
      <Differences id={`differences-${id}`} kind="page_component" differences={differences} />
      {panel}
      {!changes.includes("removed") && <Component resolved={resolved} />}
      {/* Shown if a text has a variable (contract: variables 2). */}
      <p class="note of-marks">
        Marked: variables that the Delivery API does not replace in this field.
      </p>
    </section>
  );
}
