import { date, price, text } from "@marquee/client";
import type { Event, GetPageResponse, Item, ResolvedComponent } from "@marquee/client/delivery";
import { createElement as h } from "react";

const LANGUAGE = "en";

/** A page as a document, with a section for each component. */
export function PageView({
  page: { page, object, components },
}: {
  readonly page: GetPageResponse;
}) {
  // The page of a match is about an event: its title comes first.
  const title = text(object?.item.value?.title ?? page?.title, LANGUAGE);
  const shown = components.filter((it) => !it.hidden);
  const sections = shown.map((it) => h(ComponentView, { key: it.component?.id, resolved: it }));
  const event = object?.item.case === "event" ? object.item.value : undefined;
  const score = scoreOf(event);
  return h(
    "html",
    { lang: LANGUAGE },
    h("title", null, title),
    h("main", null, score && h("output", { "data-event": event?.id }, score), sections),
    h("script", { src: "/live-score.js" }),
  );
}

/** Returns the score of a match, such as `2:1`; the empty string for another event. */
export function scoreOf(event: Event | undefined): string {
  const { home, away } = Object(event?.fields?.score);
  return home === undefined ? "" : `${home}:${away}`;
}

function ComponentView({ resolved }: { readonly resolved: ResolvedComponent }) {
  const { component, items, bannerCollection, offers } = resolved;
  if (component === undefined) return null;
  // TypeScript knows the fields of each kind: `title` is the one of a rail, then the one of the offers.
  switch (component.data.case) {
    case "bannerCollectionV2": {
      const titles = bannerCollection?.banners.map((it) => text(it.title, LANGUAGE)) ?? [];
      return section(component.id, component.name, titles);
    }
    case "rail": {
      const { title } = component.data.value;
      return section(component.id, text(title, LANGUAGE), items.map(describe));
    }
    case "offers": {
      const prices = offers.map(
        ({ title, prices: [first] }) =>
          `${text(title, LANGUAGE)} ${price(first?.amount, LANGUAGE)}`,
      );
      return section(component.id, text(component.data.value.title, LANGUAGE), prices);
    }
    case "text": {
      // The configuration of this kind is any JSON: the demo has a text by language.
      const block: { readonly text?: Readonly<Record<string, string>> } = component.data.value;
      return section(component.id, component.name, [text(block.text, LANGUAGE)]);
    }
    default:
      return section(component.id, component.name, items.map(describe));
  }
}

/** Returns a line for an item: the time of an event, then its title. */
function describe({ item }: Item): string {
  const title = text(item.value?.title, LANGUAGE);
  if (item.case !== "event") return title;
  const day = date(item.value.startTime)?.toLocaleDateString(LANGUAGE, { timeZone: "UTC" });
  return day === undefined ? title : `${day} ${title}`;
}

function section(id: string, title: string, lines: readonly string[]) {
  const entries = lines.map((line, index) => h("li", { key: `${index} ${line}` }, line));
  return h("section", { id }, h("h2", null, title), h("ul", null, entries));
}
