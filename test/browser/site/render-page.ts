import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import type { GetPageResponse } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import type { ResolvedComponent } from "../../../gen/svc/cda/ott/page_component/v2/resolved_component_pb.ts";

const LANGUAGE = "en";

/** Renders each component of a page as a section: its title, and the titles of what it shows. */
export function renderPage({ components }: GetPageResponse): HTMLElement[] {
  return components.map(renderComponent);
}

function renderComponent(resolved: ResolvedComponent): HTMLElement {
  const { component, items, bannerCollection } = resolved;
  const section = document.createElement("section");
  section.id = component?.id ?? "";
  section.dataset.type = component?.type ?? "";
  const heading = document.createElement("h2");
  heading.textContent = titleOf(resolved);
  const list = document.createElement("ul");
  const titles = [
    ...items.map(({ item }) => pickLanguage(item.value?.title)),
    ...(bannerCollection?.banners ?? []).map(({ title }) => pickLanguage(title)),
  ];
  for (const [index, title] of titles.entries()) {
    const entry = document.createElement("li");
    entry.dataset.id = idOf(items[index]);
    entry.textContent = title;
    list.append(entry);
  }
  section.append(heading, list);
  return section;
}

function titleOf({ component }: ResolvedComponent): string {
  const data: unknown = component?.data.value;
  const title = typeof data === "object" && data !== null && "title" in data ? data.title : {};
  return pickLanguage(title) || (component?.name ?? "");
}

function pickLanguage(text: unknown): string {
  if (typeof text !== "object" || text === null) return "";
  const found = (text as Readonly<Record<string, unknown>>)[LANGUAGE];
  return typeof found === "string" ? found : "";
}

function idOf(item: Item | undefined): string {
  return item?.item.value?.id ?? "";
}
