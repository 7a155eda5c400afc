import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

/** A part of a view that is closed at first. Its content is drawn, and loaded, when it is opened. */
export function Fold({
  summary,
  children,
  ...attributes
}: {
  summary: ComponentChildren;
  class?: string;
  children: () => VNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details {...attributes} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
