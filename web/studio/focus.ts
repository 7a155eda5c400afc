/** The elements that can have the focus. */
const FOCUSABLE =
  "a[href], summary:not(.help > *), [tabindex], :is(button, input, select, textarea):enabled";

/**
 * Keeps the focus in the view. If its element is removed, such as the button of a row, what follows gets the focus, else
 * what comes before, else what is around it.
 */
export function keepFocus(): void {
  let last: EventTarget | null = null;
  document.addEventListener("focusin", ({ target }) => {
    last = target;
  });
  const follow = (changes: readonly MutationRecord[]) => {
    if (!(last instanceof HTMLElement) || document.activeElement !== document.body) return;
    for (const { removedNodes, nextSibling, previousSibling, target } of changes) {
      if (![...removedNodes].some((it) => it.contains(last as Node))) continue;
      // An element that is moved is removed first.
      const heirs = [last, nextSibling, previousSibling, ...listAround(target)];
      if (heirs.some(focus)) return;
    }
  };
  new MutationObserver(follow).observe(document.body, { childList: true, subtree: true });
}

/** Lists an element and those around it, up to the one of the view. */
function listAround(element: Node | null): readonly Node[] {
  if (!(element instanceof HTMLElement) || element.closest("#view") === null) return [];
  return [element, ...listAround(element.parentElement)];
}

/** Puts the focus on an element or on the first one within it that takes the focus. Reports whether there is one. */
function focus(node: Node | null): boolean {
  if (!(node instanceof HTMLElement) || node.closest("#view") === null) return false;
  const candidates = [node, ...node.querySelectorAll<HTMLElement>(FOCUSABLE)];
  return candidates.some((it) => {
    it.focus();
    return document.activeElement === it;
  });
}
