import { type Content, h } from "./element.ts";

/** Draws a comment of the schema: paragraphs, lists of lines that begin with `- `, bold words and code. */
export function drawProse(text: string): HTMLElement {
  return h("div", { className: "prose" }, ...text.split("\n\n").flatMap(drawBlock));
}

function drawBlock(text: string): Content[] {
  const [lead = "", ...items] = text.split(/^- /m);
  return [
    lead === "" ? undefined : h("p", {}, ...drawWords(lead)),
    items.length === 0
      ? undefined
      : h("ul", {}, ...items.map((it) => h("li", {}, ...drawWords(it)))),
  ];
}

/** Draws a line of text with bold words and code. */
export function drawWords(text: string): Content[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`")) return h("code", {}, part.slice(1, -1));
    return part.startsWith("**") ? h("b", {}, part.slice(2, -2)) : part;
  });
}
