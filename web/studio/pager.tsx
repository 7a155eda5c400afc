import { useState } from "preact/hooks";
import { ActButton } from "./acts.tsx";

/** The pages of a list. */
export type Pages = ReturnType<typeof usePages>;

/** Creates the pages of a list, at the first one: the tokens from there to the shown one. */
export function usePages() {
  const [tokens, show] = useState<readonly string[]>([""]);
  return { token: tokens.at(-1) ?? "", tokens, show };
}

/** Turns the pages of a list; nothing if there is one page. */
export function Pager({ pages, next, of }: { pages: Pages; next: string; of: string }) {
  const { tokens, show } = pages;
  if (next === "" && tokens.length === 1) return null;
  return (
    <nav class="pages" aria-label={`Pages of ${of}`}>
      <ActButton disabled={tokens.length === 1} onClick={() => show(tokens.slice(0, -1))}>
        ← Previous
      </ActButton>
      <span class="note">Page {tokens.length}</span>
      {/* Until the next page is loaded, `next` leads to it. */}
      <ActButton
        disabled={next === "" || next === pages.token}
        onClick={() => show([...tokens, next])}
      >
        Next →
      </ActButton>
    </nav>
  );
}
