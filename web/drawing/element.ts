/** The content of an element; nothing for null, undefined and the empty string. */
export type Content = Node | string | null | undefined;

type Properties = Readonly<Record<string, unknown>>;

/** Creates an element. Names that its interface has are set as properties, others as attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name in element) Object.assign(element, { [name]: value });
    else element.setAttribute(name, String(value));
  }
  element.append(...present(content));
  return element;
}

/** Returns the contents that are not empty. */
export function present(content: readonly Content[]): (Node | string)[] {
  return content.filter((it): it is Node | string => it !== null && it !== undefined && it !== "");
}

/** Creates a list of terms with their descriptions; a term without one is omitted. */
export function terms(entries: readonly (readonly [string, Content])[]): HTMLElement {
  return h(
    "dl",
    {},
    ...entries
      .filter(([, content]) => present([content]).length > 0)
      .flatMap(([term, content]) => [h("dt", {}, term), h("dd", {}, content)]),
  );
}

/** Puts a label before a control, which has an id. */
export function labelled(label: string, control: HTMLElement, className = "field"): HTMLElement {
  return h("div", { className }, h("label", { htmlFor: control.id }, label), control);
}

/** Creates a table with a caption and a heading for each column. */
export function table(
  caption: string,
  headings: readonly string[],
  rows: readonly (readonly Content[])[],
): HTMLElement {
  const head = h("tr", {}, ...headings.map((it) => h("th", { scope: "col" }, it)));
  const body = rows.map((row) => h("tr", {}, ...row.map((it) => h("td", {}, it))));
  return scroller(
    caption,
    h("table", {}, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, ...body)),
  );
}

/** A list or a table that is scrolled sideways, with the arrow keys as well. */
export function scroller(label: string, content: HTMLElement): HTMLElement {
  const attributes = { className: "scroll", tabIndex: 0, role: "group", "aria-label": label };
  return h("div", attributes, content);
}

/** Finds an element that the page always has. */
export function find<E extends HTMLElement = HTMLElement>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
}
