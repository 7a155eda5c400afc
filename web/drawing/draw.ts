import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Item, ListAnnotationsResponse, Page } from "../../packages/client/src/delivery.ts";
import { isObject } from "../../src/domain/base/json.ts";
import { type Content, h, labelled, scroller, table, terms } from "./element.ts";
import type { JsonOf } from "./json-of.ts";
import { anchor, art, badge, note, type OpenPage } from "./parts.ts";
import {
  contentOf,
  dataOf,
  explainHidden,
  type ItemContent,
  type Resolved,
  titleOf,
} from "./resolved.ts";
import {
  follow,
  objectsOf,
  pick,
  printDay,
  printDuration,
  printEnum,
  printMoney,
  printTime,
  toDay,
  toWords,
} from "./text.ts";

/** How the components of a page are seen. */
export interface Seen {
  /** A tag such as `en`. */
  readonly language: string;
  readonly session: JsonObject;
  /** The pages, for links to the one about an item. */
  readonly pages: readonly JsonOf<Page>[];
  readonly open: OpenPage;
  /** Returns the path of a value of a component, such as `rail.title.en`, in words. */
  printPath(path: string): string;
  /** Sets or, with undefined, removes a value of the session. */
  setSession(key: string, value: JsonValue | undefined): void;
}

/** The context of drawing a component. */
export interface Drawing extends Seen {
  /** The time that is shown, in milliseconds since 1970. */
  readonly now: number;
  /** Lists what a calendar shows on a day such as `2026-06-11`. */
  listDay(componentId: string, day: string): Promise<readonly JsonOf<Item>[]>;
  listChapters(item: JsonOf<Item>): Promise<JsonOf<ListAnnotationsResponse>>;
  /** Describes why no item matches. */
  explainUnmatched(resolved: Resolved): Promise<readonly HTMLElement[]>;
}

/** Draws what a component shows. */
export function drawComponent(resolved: Resolved, drawing: Drawing): Content {
  const { component = {}, items = [], hidden, offers = [], bannerCollection } = resolved;
  const data = dataOf(resolved);
  const { language } = drawing;
  const text = (value: unknown) => pick(value, language);
  if (hidden && component.type !== "calendar_v2")
    return note(explainHidden(resolved, drawing.session));
  switch (component.type) {
    case "rail":
    case "content_carousel":
      return drawCards(resolved, "row", drawing);
    case "content_grid":
      return drawCards(resolved, "grid", drawing);
    case "calendar":
    case "calendar_v2":
      return drawCalendar(resolved, drawing);
    case "banner_collection":
    case "banner_collection_v2":
      return scroller(
        titleOf(resolved, language),
        h(
          "ul",
          { className: "banners" },
          ...(bannerCollection?.banners ?? []).map(({ title, images = [], link = "" }) => {
            const wide = images.find((it) => it.formFactor === "FORM_FACTOR_DESKTOP") ?? images[0];
            const content = [art(text(title), wide?.url), h("strong", {}, text(title))];
            return h("li", {}, anchor(link, drawing, ...content));
          }),
        ),
      );
    case "creative_work_player":
    case "event_player":
      return drawPlayer(items[0], data, drawing);
    case "player_profile": {
      const item = items[0] && contentOf(items[0]);
      const image = item?.posterImageUrl || String(data.fallbackImageUrl ?? "");
      const name = text(item?.title);
      return h(
        "div",
        { className: "profile" },
        art(name, image, item),
        h("div", {}, h("strong", {}, name), h("p", {}, text(item?.description))),
      );
    }
    case "offers":
      return drawOffers(data, offers, drawing);
    case "filter":
      return h(
        "div",
        { className: "controls" },
        ...objectsOf(data.controls).map((it) => drawControl(it, drawing)),
      );
    case "faq":
      return h(
        "div",
        {},
        ...objectsOf(data.items).map(({ question, answer }) =>
          h("details", { className: "question" }, h("summary", {}, text(question)), text(answer)),
        ),
      );
    case "text":
      return h("p", {}, text(data.text) || text(data));
    case "image": {
      const alt = text(data.alt);
      return h(
        "figure",
        {},
        art(alt, String(data.image_url ?? data.url ?? "")),
        h("figcaption", {}, alt),
      );
    }
    case "html":
      return h("pre", { tabIndex: 0 }, String(data.html ?? JSON.stringify(data, undefined, 2)));
    case "promotional_content":
      return h(
        "div",
        { className: "promotion" },
        art(text(data.title), String(data.image_url ?? "")),
        h("strong", {}, text(data.title)),
      );
    case "sponsorship_collection":
      return h(
        "ul",
        { className: "sponsors" },
        ...objectsOf(data.sponsors).map((it) => {
          const name = text(it.name) || text(it.title);
          return h("li", {}, art(name, String(it.image_url ?? "")), h("small", {}, name));
        }),
      );
    case "footer":
      return h(
        "div",
        { className: "footer" },
        ...objectsOf(data.links).map((it) => {
          const slug = String(it.page_slug ?? "");
          return anchor(slug === "" ? String(it.url ?? "") : `/${slug}`, drawing, text(it.title));
        }),
        h("small", {}, text(data.note)),
      );
    case "standings":
      return drawStandings(data, language);
    default:
      return h(
        "div",
        {},
        note(`Only clients draw components of the type ${component.type}. This is its JSON:`),
        h("pre", { tabIndex: 0 }, JSON.stringify(data, undefined, 2)),
      );
  }
}

function drawCards(resolved: Resolved, form: "row" | "grid", drawing: Drawing): Content {
  const { items = [] } = resolved;
  if (items.length === 0) return drawUnmatched(resolved, drawing);
  const data = dataOf(resolved);
  const card = isObject(data.card) ? data.card : {};
  const thumbnail = data.cardThumbnail ?? data.card_thumbnail;
  const isTall = isObject(thumbnail) && thumbnail.aspect_ratio === "2:3";
  const list = h(
    "ul",
    { className: `cards ${form}${isTall ? " tall" : ""}` },
    ...items.map((it) => drawCard(it, card, drawing)),
  );
  return form === "grid" ? list : scroller(titleOf(resolved, drawing.language), list);
}

function drawUnmatched(resolved: Resolved, drawing: Drawing): HTMLElement {
  if (resolved.itemsNextPageToken) return note("The server is busy: its items took too long.");
  const box = h("div", {}, note("No item matches."));
  drawing.explainUnmatched(resolved).then(
    (reasons) => box.append(...reasons),
    (cause) => box.append(note(String(cause))),
  );
  return box;
}

function drawCard(item: JsonOf<Item>, card: JsonObject, drawing: Drawing): HTMLElement {
  const content = contentOf(item);
  const { language, pages } = drawing;
  const title =
    readSlot(card.title, content, language) || pick(content.title, language) || content.id || "";
  const subtitle =
    readSlot(card.subtitle, content, language) || pick(content.description, language);
  const about =
    (item.event && "PAGE_OBJECT_EVENT") ||
    (item.creativeWork && "PAGE_OBJECT_CREATIVE_WORK") ||
    (content.contentType === "player" ? "PAGE_OBJECT_ENTITY" : "");
  const page =
    pages.find((it) => it.slug === content.contentType && it.parameters?.includes("id")) ??
    pages.find((it) => it.object === about && it.parameters?.includes("id"));
  const link = page?.slug && content.id ? `/${page.slug}?id=${encodeURIComponent(content.id)}` : "";
  return h(
    "li",
    { className: card.kind === "round" ? "card round" : "card" },
    anchor(
      link,
      drawing,
      art(title, content.posterImageUrl, content),
      h("strong", {}, title),
      h("small", {}, subtitle),
    ),
    badge(content, drawing.now),
  );
}

/** Returns the text that a slot such as `{"keypath": "fields.score.home"}` takes from an item; empty: none. */
function readSlot(slot: JsonValue | undefined, content: ItemContent, language: string): string {
  if (!isObject(slot) || typeof slot.keypath !== "string") return "";
  const value = follow(content, slot.keypath);
  if (typeof value === "number") return String(value);
  const isTime = slot.format !== undefined && typeof value === "string";
  return isTime ? printTime(value, language) : pick(value, language);
}

function drawCalendar(resolved: Resolved, drawing: Drawing): HTMLElement {
  const { component, items = [], hidden } = resolved;
  const { language } = drawing;
  const today = toDay(new Date(drawing.now));
  const id = component?.id ?? "";
  const days = h("div", { className: "days" });
  const show = (shown: readonly JsonOf<Item>[]) => {
    const byDay = Map.groupBy(shown, (it) => printDay(contentOf(it).startTime ?? "1970", language));
    const drawn = [...byDay].map(([day, matches]) =>
      h(
        "section",
        { className: "day" },
        h("h3", {}, day),
        h("ul", { className: "agenda" }, ...matches.map((it) => drawEntry(it, drawing))),
      ),
    );
    days.replaceChildren(...(drawn.length > 0 ? drawn : [note("Nothing on this day.")]));
  };
  const day = h("input", { type: "date", id: `day-${id}` });
  day.addEventListener("change", () => {
    if (day.value === "") show(items);
    else drawing.listDay(id, day.value).then(show, (cause) => days.replaceChildren(String(cause)));
  });
  if (hidden) {
    days.replaceChildren(note(explainHidden(resolved, drawing.session)));
  } else {
    show(items);
    const showToday = (shown: readonly JsonOf<Item>[]) => {
      if (shown.length === 0 || day.value !== "") return;
      day.value = today;
      show(shown);
    };
    // Without its items of today the calendar keeps its first ones.
    drawing.listDay(id, today).then(showToday, () => {});
  }
  return h("div", {}, labelled("Day", day, "inline"), days);
}

function drawEntry(item: JsonOf<Item>, drawing: Drawing): HTMLElement {
  const { startTime = "", title } = contentOf(item);
  const format = new Intl.DateTimeFormat(drawing.language, { timeStyle: "short" });
  const time = h("time", { dateTime: startTime }, startTime && format.format(new Date(startTime)));
  return h("li", {}, time, h("span", {}, pick(title, drawing.language)));
}

function drawPlayer(
  item: JsonOf<Item> | undefined,
  data: JsonObject,
  drawing: Drawing,
): HTMLElement {
  const { language } = drawing;
  if (item === undefined) {
    return note("The player resolves its item in the client, or the item does not exist.");
  }
  const content = contentOf(item);
  const title = pick(content.title, language);
  const info = Object.entries(isObject(data.info) ? data.info : {});
  const chapters = h("div", { className: "chapters" }, note("Chapters …"));
  drawing.listChapters(item).then(
    ({ annotations = [] }) => {
      const entries = annotations.map(({ offset, typeId = "", timerLabel }) =>
        h(
          "li",
          {},
          h("time", {}, offset === undefined ? "–" : printDuration(offset.replace(/\.\d+/, ""))),
          h("span", {}, typeId, timerLabel ? ` ${timerLabel}′` : ""),
        ),
      );
      chapters.replaceChildren(
        h("h3", {}, "Chapters"),
        entries.length > 0 ? h("ol", { className: "agenda" }, ...entries) : note("None."),
      );
    },
    (cause) => chapters.replaceChildren(note(`Chapters: ${cause}`)),
  );
  return h(
    "div",
    { className: "player" },
    h(
      "div",
      {},
      h(
        "div",
        { className: "screen" },
        art(title, content.posterImageUrl || String(data.backgroundImageUrl ?? ""), content),
        h("span", { className: "play", "aria-hidden": "true" }, "▶"),
        h("strong", {}, title),
      ),
      terms(info.map(([name, slot]) => [toWords(name), readSlot(slot, content, language)])),
    ),
    chapters,
  );
}

function drawOffers(
  data: JsonObject,
  offers: NonNullable<Resolved["offers"]>,
  { language }: Drawing,
): HTMLElement {
  const byId = new Map(offers.map((it) => [it.id, it]));
  const cards = objectsOf(data.offer).map((card) => {
    const offer = byId.get(String(card.offer_id ?? ""));
    const prices = (offer?.prices ?? []).map(({ amount = {}, billingPeriod, accessPeriod }) => {
      const billed = printEnum(billingPeriod, "BILLING_PERIOD_");
      const access = printEnum(accessPeriod, "ACCESS_PERIOD_");
      const period =
        billed === "one time"
          ? `once, ${access === "unlimited" ? access : `for a ${access}`}`
          : `each ${billed}`;
      return h("li", {}, h("b", {}, printMoney(amount, language)), ` ${period}`);
    });
    return h(
      "li",
      { className: "offer" },
      h("strong", {}, pick(card.title ?? offer?.title, language) || offer?.name),
      h("p", {}, pick(card.description ?? offer?.description, language)),
      offer === undefined ? note("Not for sale.") : h("ul", {}, ...prices),
    );
  });
  return h(
    "div",
    {},
    h("p", {}, pick(data.subtitle, language)),
    h("ul", { className: "offers" }, ...cards),
  );
}

function drawControl(control: JsonObject, { language, session, setSession }: Drawing): HTMLElement {
  const key = String(control.url_param ?? control.urlParam ?? "");
  const label = pick(control.label, language) || key;
  const id = `control-${key}`;
  const value = session[key];
  const options = Array.isArray(control.options) ? control.options : [];
  const onText = ({ target }: Event) => {
    const entered = (target as HTMLInputElement | HTMLSelectElement).value;
    setSession(key, entered === "" ? undefined : entered);
  };
  const named = options.map((it) => {
    const option = isObject(it) ? String(it.value ?? it.id ?? "") : String(it);
    const name = isObject(it) ? pick(it.label ?? it.title, language) || option : option;
    return { option, name };
  });
  if (named.length > 0 && control.kind === "chips") {
    const chips = named.map(({ option, name }) => {
      const isChosen = option === value;
      const onclick = () => setSession(key, isChosen ? undefined : option);
      return h("button", { type: "button", "aria-pressed": String(isChosen), onclick }, name);
    });
    return h("fieldset", { className: "chips" }, h("legend", {}, label), ...chips);
  }
  if (named.length > 0) {
    const all = h("option", { value: "" }, "–");
    const others = named.map(({ option, name }) =>
      h("option", { value: option, selected: option === value }, name),
    );
    return labelled(label, h("select", { id, onchange: onText }, all, ...others));
  }
  if (typeof control.kind === "string" && control.kind.startsWith("search")) {
    const text = typeof value === "string" ? value : "";
    return labelled(label, h("input", { id, type: "search", value: text, onchange: onText }));
  }
  return note(`${label}: set “${key}” under More.`);
}

function drawStandings(data: JsonObject, language: string): Content {
  const rows = objectsOf(data.rows ?? data.entries);
  if (rows.length === 0) return drawValue(data, language);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => columns.map((it) => drawValue(row[it], language)));
  return table(pick(data.title, language) || "Standings", columns, cells);
}

function drawValue(value: JsonValue | undefined, language: string): Content {
  if (Array.isArray(value)) {
    if (!value.some(isObject)) return value.join(", ");
    return h("ul", {}, ...value.map((it) => h("li", {}, drawValue(it, language))));
  }
  if (!isObject(value)) return value === null || value === undefined ? "" : String(value);
  if (typeof value[language] === "string") return value[language];
  return terms(Object.entries(value).map(([name, it]) => [toWords(name), drawValue(it, language)]));
}
