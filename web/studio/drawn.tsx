import { useLayoutEffect, useRef } from "preact/hooks";
import { drawProse } from "../reference/prose.ts";

/** Shows elements that a function draws, as `web/preview` and `web/reference` do; drawn again when an input changes. */
export function Drawn({
  draw,
  inputs,
}: {
  draw: () => Node | undefined;
  inputs: readonly unknown[];
}) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const node = draw();
    place.current?.replaceChildren(...(node === undefined ? [] : [node]));
  }, [...inputs]);
  return <div ref={place} />;
}

/** Shows a comment of the schema. */
export function Prose({ text }: { text: string }) {
  return <Drawn draw={() => drawProse(text)} inputs={[text]} />;
}
