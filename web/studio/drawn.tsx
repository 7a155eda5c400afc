import { useLayoutEffect, useRef } from "preact/hooks";
import { drawProse } from "../reference/prose.ts";

/**
 * Shows elements that a function draws; drawn again when an input changes. Open details stay open, the focus stays, and a text
 * that is being typed is not replaced before it is left.
 */
export function Drawn({
  draw,
  inputs,
}: {
  draw: () => Node | undefined;
  inputs: readonly unknown[];
}) {
  const place = useRef<HTMLDivElement>(null);
  const typed = useRef<EventTarget>(null);
  useLayoutEffect(() => {
    const show = () => replace(place.current, draw());
    const field = document.activeElement;
    if (field === null || field !== typed.current) return show();
    field.addEventListener("blur", show, { once: true });
    return () => field.removeEventListener("blur", show);
  }, [...inputs]);
  return (
    <div
      ref={place}
      onInput={({ target }) => {
        typed.current = target;
      }}
      onChange={() => {
        typed.current = null;
      }}
    />
  );
}

function replace(place: HTMLElement | null, node: Node | undefined): void {
  if (place === null) return;
  const focused = place.contains(document.activeElement) ? document.activeElement?.id : "";
  const opened = [...place.querySelectorAll("details[open]")].map(({ id }) => id);
  place.replaceChildren(...(node === undefined ? [] : [node]));
  for (const details of place.querySelectorAll("details")) {
    if (details.id !== "" && opened.includes(details.id)) details.open = true;
  }
  if (focused) document.getElementById(focused)?.focus();
}

/** Shows a comment of the schema. */
export function Prose({ text }: { text: string }) {
  return <Drawn draw={() => drawProse(text)} inputs={[text]} />;
}
