import type { GetPageResponse, ResolvedComponent } from "@marquee/client/delivery";
import { createElement } from "react";

/** A page as a document, with a section for each component. */
export function PageView({ page: { page, components } }: { readonly page: GetPageResponse }) {
  return createElement(
    "html",
    { lang: "en" },
    createElement("title", null, page?.title.en),
    createElement(
      "main",
      null,
      components.map((it) => createElement(ComponentView, { key: it.component?.id, resolved: it })),
    ),
  );
}

function ComponentView({ resolved }: { readonly resolved: ResolvedComponent }) {
  const { component, items } = resolved;
  return createElement(
    "section",
    { id: component?.id },
    createElement("h2", null, component?.name),
    createElement(
      "ul",
      null,
      items.map(({ item: { value } }) => createElement("li", { key: value?.id }, value?.title.en)),
    ),
  );
}
