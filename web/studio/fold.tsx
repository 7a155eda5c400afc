import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

/** A part of a view that is closed at first. Its content is drawn, and loaded, when it is opened. */
export function Fold({
  summary,
  label,
  children,
  ...attributes
}: {
  summary: ComponentChildren;
  /** The name of the summary for screen readers; undefined: its text. */
  label?: string;
  class?: string;
  children: () => VNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details {...attributes} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={label}>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
