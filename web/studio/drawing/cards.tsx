import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Item } from "../../../packages/client/src/delivery.ts";
import { isObject } from "../../../src/domain/base/json.ts";
import { useDrawing } from "./drawing.ts";
import type { JsonOf } from "./json-of.ts";
import { Anchor, Art, Badge, Note, Scroller, Text } from "./parts.tsx";
import { contentOf, dataOf, type ItemContent, type Resolved, titleOf } from "./resolved.ts";
import { follow, pick, printTime } from "./text.ts";
import { Unmatched } from "./unmatched.tsx";

/** The items of a component, as cards in a row or a grid. */
export function Cards({ resolved, form }: { resolved: Resolved; form: "row" | "grid" }) {
  const { language } = useDrawing();
  const { items = [], itemsNextPageToken } = resolved;
  if (items.length === 0) {
    if (itemsNextPageToken) return <Note>The server is busy: its items took too long.</Note>;
    return <Unmatched resolved={resolved} />;
  }
  const data = dataOf(resolved);
  const card = isObject(data.card) ? data.card : {};
  const thumbnail = data.cardThumbnail ?? data.card_thumbnail;
  const isTall = isObject(thumbnail) && thumbnail.aspect_ratio === "2:3";
  const list = (
    <ul class={`cards ${form}${isTall ? " tall" : ""}`}>
      {items.map((it) => (
        <Card key={contentOf(it).id} item={it} card={card} />
      ))}
    </ul>
  );
  return form === "grid" ? list : <Scroller label={titleOf(resolved, language)}>{list}</Scroller>;
}

function Card({ item, card }: { item: JsonOf<Item>; card: JsonObject }) {
  const { language, pages, open } = useDrawing();
  const content = contentOf(item);
  const title =
    readSlot(card.title, content, language) || pick(content.title, language) || content.id || "";
  const about =
    (item.event && "PAGE_OBJECT_EVENT") ||
    (item.creativeWork && "PAGE_OBJECT_CREATIVE_WORK") ||
    (content.contentType === "player" ? "PAGE_OBJECT_ENTITY" : "");
  const page =
    pages.find((it) => it.slug === content.contentType && it.parameters?.includes("id")) ??
    pages.find((it) => it.object === about && it.parameters?.includes("id"));
  const link = page?.slug && content.id ? `/${page.slug}?id=${encodeURIComponent(content.id)}` : "";
  return (
    <li class={card.kind === "round" ? "card round" : "card"}>
      <Anchor link={link} open={open}>
        <Art title={title} url={content.posterImageUrl} content={content} />
        <strong>
          <Text of={title} />
        </strong>
        <small>
          <Text of={readSlot(card.subtitle, content, language) || content.description} />
        </small>
      </Anchor>
      <Badge of={content} />
    </li>
  );
}

/** Returns the text that a slot such as `{"keypath": "fields.score.home"}` takes from an item; empty: none. */
export function readSlot(
  slot: JsonValue | undefined,
  content: ItemContent,
  language: string,
): string {
  if (!isObject(slot) || typeof slot.keypath !== "string") return "";
  const value = follow(content, slot.keypath);
  if (typeof value === "number") return String(value);
  const isTime = slot.format !== undefined && typeof value === "string";
  return isTime ? printTime(value, language) : pick(value, language);
}
