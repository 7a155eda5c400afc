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

/** Puts a label before a control, which has an id. */
export function labelled(label: string, control: HTMLElement, className = "field"): HTMLElement {
  return h("div", { className }, h("label", { htmlFor: control.id }, label), control);
}

/** Finds an element that the page always has. */
export function find<E extends HTMLElement = HTMLElement>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
}
