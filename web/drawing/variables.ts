import { h } from "./element.ts";
import { note } from "./parts.ts";

/** Matches a variable as an editor writes it, such as `{event.fields.season.id}`. */
const VARIABLE = /(\{[a-z_][\w.]*\})/i;

/**
 * Marks the variables in the texts of an element, with a note about them. The Delivery API replaces variables only in
 * marked fields (contract: variables 2).
 */
export function markVariables(element: HTMLElement): void {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const marked: Text[] = [];
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    if (VARIABLE.test(text.data)) marked.push(text);
  }
  for (const text of marked) {
    // A split by a group has the variables at the odd places.
    const parts = text.data.split(VARIABLE);
    text.replaceWith(...parts.map((part, index) => (index % 2 === 1 ? h("mark", {}, part) : part)));
  }
  if (marked.length > 0) {
    element.append(note("Marked: variables that the Delivery API does not replace in this field."));
  }
}
