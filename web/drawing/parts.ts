import type { JsonObject } from "@bufbuild/protobuf";
import { isObject } from "../../src/domain/base/json.ts";
import { type Content, h } from "./element.ts";
import type { ItemContent } from "./resolved.ts";
import { printClosed, printEnum } from "./text.ts";

/** Opens a page of the preview. */
export type OpenPage = (slug: string, parameters: Record<string, string>) => void;

/** Draws an image, or a color with the initials of its content. */
export function art(title: string, url: string | undefined, content?: ItemContent): HTMLElement {
  const figure = h("span", { className: "art" }, h("span", {}, shortName(title, content)));
  figure.setAttribute("aria-hidden", "true");
  const hue = [...title].reduce((sum, it) => (sum * 31 + (it.codePointAt(0) ?? 0)) % 360, 7);
  figure.style.setProperty("--hue", String(hue));
  if (url?.startsWith("http")) {
    const image = h("img", { alt: "", loading: "lazy", decoding: "async", src: url });
    image.addEventListener("error", () => image.remove());
    figure.append(image);
  }
  return figure;
}

/** Returns the codes of those who take part, such as `ESP – ARG`, or initials. */
function shortName(title: string, content: ItemContent | undefined): string {
  const fields = (content?.fields ?? {}) as JsonObject;
  const codes = [fields, ...Object.values(fields)].flatMap((it) =>
    isObject(it) && typeof it.code === "string" ? [it.code] : [],
  );
  if (codes.length > 0) return codes.slice(0, 2).join(" – ");
  const initials = title.split(/\s+/).map((word) => [...word][0] ?? "");
  return initials.slice(0, 3).join("").toUpperCase();
}

/** Draws a link: a path opens a page of the preview, a URL leaves it; without either, there is no link. */
export function anchor(
  link: string,
  { open }: { readonly open: OpenPage },
  ...content: readonly Content[]
): HTMLElement {
  if (!/^(?:\/(?![/\\])|https?:)/.test(link)) return h("span", { className: "link" }, ...content);
  if (!link.startsWith("/")) {
    return h(
      "a",
      { className: "link", href: link, target: "_blank", rel: "noreferrer" },
      ...content,
    );
  }
  const { pathname, searchParams } = new URL(link, location.origin);
  const element = h("a", { className: "link", href: link }, ...content);
  element.addEventListener("click", (event) => {
    event.preventDefault();
    open(pathname.slice(1), Object.fromEntries(searchParams));
  });
  return element;
}

/** Draws a link to an element of this page. The fragment of the URL stays, because it contains the choices. */
export function jump(id: string, className: string, text: string): HTMLElement {
  const link = h("a", { className, href: `#${id}` }, text);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const target = document.getElementById(id);
    target?.scrollIntoView();
    target?.focus();
  });
  return link;
}

/** Marks what a public key does not see at a time, in milliseconds since 1970. */
export function badge(
  { visibility, availability }: { readonly visibility?: string; readonly availability?: unknown },
  now: number,
): Content {
  const reason =
    visibility === "VISIBILITY_PUBLISHED"
      ? printClosed(availability, now)
      : printEnum(visibility, "VISIBILITY_") || "not published";
  return reason === "" ? undefined : h("span", { className: "badge" }, reason);
}

/** A sentence instead of content. */
export function note(text: string): HTMLElement {
  return h("p", { className: "note" }, text);
}
