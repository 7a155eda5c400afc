import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { isObject } from "../../../src/domain/base/json.ts";
import { Calendar } from "./calendar.tsx";
import { Cards } from "./cards.tsx";
import { Control } from "./control.tsx";
import { useDrawing } from "./drawing.ts";
import { Offers } from "./offers.tsx";
import { Anchor, Art, Note, Scroller, Table, Terms, Text } from "./parts.tsx";
import { Player } from "./player.tsx";
import { contentOf, dataOf, explainHidden, type Resolved, titleOf } from "./resolved.ts";
import { objectsOf, pick, toWords } from "./text.ts";

/** Draws what a component shows. */
export function Component({ resolved }: { resolved: Resolved }) {
  const { component = {}, items = [], hidden, bannerCollection } = resolved;
  const { language, session, open } = useDrawing();
  const data = dataOf(resolved);
  const text = (value: unknown) => pick(value, language);
  if (hidden && component.type !== "calendar_v2")
    return <Note>{explainHidden(resolved, session)}</Note>;
  switch (component.type) {
    case "rail":
    case "content_carousel":
      return <Cards resolved={resolved} form="row" />;
    case "content_grid":
      return <Cards resolved={resolved} form="grid" />;
    case "calendar":
    case "calendar_v2":
      return <Calendar resolved={resolved} />;
    case "banner_collection":
    case "banner_collection_v2":
      return (
        <Scroller label={titleOf(resolved, language)}>
          <ul class="banners">
            {bannerCollection?.banners?.map(({ title, images = [], link = "" }, index) => {
              const wide =
                images.find((it) => it.formFactor === "FORM_FACTOR_DESKTOP") ?? images[0];
              return (
                <li key={index}>
                  <Anchor link={link} open={open}>
                    <Art title={text(title)} url={wide?.url} />
                    <strong>
                      <Text of={title} />
                    </strong>
                  </Anchor>
                </li>
              );
            })}
          </ul>
        </Scroller>
      );
    case "creative_work_player":
    case "event_player":
      return <Player item={items[0]} data={data} />;
    case "player_profile": {
      const item = items[0] && contentOf(items[0]);
      return (
        <div class="profile">
          <Art
            title={text(item?.title)}
            url={item?.posterImageUrl || String(data.fallbackImageUrl ?? "")}
            content={item}
          />
          <div>
            <strong>
              <Text of={item?.title} />
            </strong>
            <p>
              <Text of={item?.description} />
            </p>
          </div>
        </div>
      );
    }
    case "offers":
      return <Offers data={data} offers={resolved.offers ?? []} />;
    case "filter":
      return (
        <div class="controls">
          {objectsOf(data.controls).map((it, index) => (
            <Control key={index} control={it} />
          ))}
        </div>
      );
    case "faq":
      return objectsOf(data.items).map(({ question, answer }, index) => (
        <details key={index} class="question">
          <summary>
            <Text of={question} />
          </summary>
          <Text of={answer} />
        </details>
      ));
    case "text":
      return (
        <p>
          <Text of={text(data.text) || data} />
        </p>
      );
    case "image":
      return (
        <figure>
          <Art title={text(data.alt)} url={String(data.image_url ?? data.url ?? "")} />
          <figcaption>
            <Text of={data.alt} />
          </figcaption>
        </figure>
      );
    case "html":
      return <Source text={String(data.html ?? JSON.stringify(data, undefined, 2))} />;
    case "promotional_content":
      return (
        <div class="promotion">
          <Art title={text(data.title)} url={String(data.image_url ?? "")} />
          <strong>
            <Text of={data.title} />
          </strong>
        </div>
      );
    case "sponsorship_collection":
      return (
        <ul class="sponsors">
          {objectsOf(data.sponsors).map((it, index) => {
            const name = text(it.name) || text(it.title);
            return (
              <li key={index}>
                <Art title={name} url={String(it.image_url ?? "")} />
                <small>
                  <Text of={name} />
                </small>
              </li>
            );
          })}
        </ul>
      );
    case "footer":
      return (
        <div class="footer">
          {objectsOf(data.links).map(({ page_slug: slug, url, title }, index) => (
            <Anchor key={index} link={slug ? `/${slug}` : String(url ?? "")} open={open}>
              <Text of={title} />
            </Anchor>
          ))}
          <small>
            <Text of={data.note} />
          </small>
        </div>
      );
    case "standings":
      return <Standings data={data} />;
    default:
      return (
        <>
          <Note>Only clients draw components of the type {component.type}. This is its JSON:</Note>
          <Source text={JSON.stringify(data, undefined, 2)} />
        </>
      );
  }
}

function Source({ text }: { text: string }) {
  return (
    <pre tabIndex={0}>
      <Text of={text} />
    </pre>
  );
}

function Standings({ data }: { data: JsonObject }) {
  const { language } = useDrawing();
  const rows = objectsOf(data.rows ?? data.entries);
  if (rows.length === 0) return <>{drawValue(data, language)}</>;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return (
    <Table
      caption={pick(data.title, language) || "Standings"}
      headings={columns}
      rows={rows.map((row) => columns.map((it) => drawValue(row[it], language)))}
    />
  );
}

/** Draws any value; an empty one as nothing. */
function drawValue(value: JsonValue | undefined, language: string): ComponentChildren {
  if (Array.isArray(value)) {
    if (!value.some(isObject)) return <Text of={value.join(", ")} />;
    return (
      <ul>
        {value.map((it, index) => (
          <li key={index}>{drawValue(it, language)}</li>
        ))}
      </ul>
    );
  }
  if (value === null || value === undefined || value === "") return "";
  if (!isObject(value)) return <Text of={String(value)} />;
  if (typeof value[language] === "string") return <Text of={value[language]} />;
  const entries = Object.entries(value);
  return <Terms entries={entries.map(([name, it]) => [toWords(name), drawValue(it, language)])} />;
}
