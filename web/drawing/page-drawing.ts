import type { Item, Page } from "../../packages/client/src/delivery.ts";
import type { Compared } from "./compare.ts";
import { drawDifferences, drawMarks } from "./differences.ts";
import { type Drawing, drawComponent, type Seen } from "./draw.ts";
import { type Content, h, present } from "./element.ts";
import type { JsonOf } from "./json-of.ts";
import { badge } from "./parts.ts";
import type { Read } from "./reads.ts";
import { contentOf, titleOf } from "./resolved.ts";
import { toWords } from "./text.ts";
import { explainUnmatched } from "./unmatched.ts";
import { markVariables } from "./variables.ts";

const ITEMS = "svc.cda.ott.page_component.v2.PageComponentService/ListPageComponentItems";
const ANNOTATIONS = "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations";

/** How a page is seen. */
export interface SeenPage extends Seen {
  readonly parameters: Readonly<Record<string, string>>;
  /** The moment that is shown: a local time such as `2026-06-20T18:00`; empty: now. */
  readonly moment: string;
}

/** Creates the context of drawing the components of a page. */
export function createDrawing(
  { id: pageId = "" }: JsonOf<Page>,
  read: Read,
  { parameters, moment, ...seen }: SeenPage,
): Drawing {
  const { session } = seen;
  return {
    ...seen,
    now: moment === "" ? Date.now() : Date.parse(moment),
    async listDay(id, day) {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      const request = { id, pageId, parameters, session, day, timeZone, pageSize: 100 };
      return (await read(ITEMS, request)).message.items ?? [];
    },
    async listChapters(item: JsonOf<Item>) {
      const { id = "", videoIds = [] } = contentOf(item);
      const parent = item.event ? { eventId: id } : { videoId: videoIds[0] ?? "" };
      return (await read(ANNOTATIONS, { ...parent, pageSize: 100 })).message;
    },
    explainUnmatched: (resolved) => explainUnmatched(resolved, read),
  };
}

/** Draws a component with its heading, and how it differs from the current version. */
export function drawSection(
  { resolved, changes, differences }: Compared,
  drawing: Drawing,
  { header, panel }: { readonly header?: Content; readonly panel?: Content } = {},
): HTMLElement {
  const { component = {} } = resolved;
  const { id = "", type = "" } = component;
  const heading = h("h2", { id: `title-${id}` }, titleOf(resolved, drawing.language));
  const section = h(
    "section",
    {
      "data-type": type,
      ...{ "data-changes": changes.join(" ") || undefined, "aria-labelledby": heading.id },
    },
    h(
      "header",
      {},
      heading,
      h("span", { className: "type", title: type }, toWords(type.replace(/_v\d+$/, ""))),
      badge(component, drawing.now),
      ...drawMarks(changes),
      header,
    ),
    panel,
    changes.includes("removed") ? undefined : drawComponent(resolved, drawing),
  );
  markVariables(section);
  section
    .querySelector("header")
    ?.after(...present([drawDifferences(`differences-${id}`, differences, drawing)]));
  return section;
}
