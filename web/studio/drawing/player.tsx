import type { JsonObject } from "@bufbuild/protobuf";
import type { Item } from "../../../packages/client/src/delivery.ts";
import { isObject } from "../../../src/domain/base/json.ts";
import { useLoad } from "../load.tsx";
import { readSlot } from "./cards.tsx";
import { useDrawing } from "./drawing.ts";
import type { JsonOf } from "./json-of.ts";
import { Art, Note, Terms, Text } from "./parts.tsx";
import { contentOf } from "./resolved.ts";
import { pick, printDuration, toWords } from "./text.ts";

const ANNOTATIONS = "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations";

/** The item that a player plays, with its chapters. */
export function Player({ item, data }: { item: JsonOf<Item> | undefined; data: JsonObject }) {
  const { language } = useDrawing();
  if (item === undefined)
    return <Note>The player resolves its item in the client, or the item does not exist.</Note>;
  const content = contentOf(item);
  const info = Object.entries(isObject(data.info) ? data.info : {});
  return (
    <div class="player">
      <div>
        <div class="screen">
          <Art
            title={pick(content.title, language)}
            url={content.posterImageUrl || String(data.backgroundImageUrl ?? "")}
            content={content}
          />
          <span class="play" aria-hidden="true">
            ▶
          </span>
          <strong>
            <Text of={content.title} />
          </strong>
        </div>
        <Terms
          entries={info.map(([name, slot]) => [toWords(name), readSlot(slot, content, language)])}
        />
      </div>
      <Chapters item={item} />
    </div>
  );
}

function Chapters({ item }: { item: JsonOf<Item> }) {
  const drawing = useDrawing();
  const { id = "", videoIds = [] } = contentOf(item);
  const loaded = useLoad(async () => {
    const parent = item.event ? { eventId: id } : { videoId: videoIds[0] ?? "" };
    return (await drawing.read(ANNOTATIONS, { ...parent, pageSize: 100 })).message;
  }, [drawing, JSON.stringify(item)]);
  const { annotations = [] } = loaded.value ?? {};
  return (
    <div class="chapters">
      <h3>Chapters</h3>
      {loaded.state}
      {loaded.value !== undefined && annotations.length === 0 && <Note>None.</Note>}
      <ol class="agenda">
        {annotations.map(({ id, offset, typeId = "", timerLabel }) => (
          <li key={id}>
            <time>{offset === undefined ? "–" : printDuration(offset.replace(/\.\d+/, ""))}</time>
            <span>
              {typeId}
              {timerLabel ? ` ${timerLabel}′` : ""}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
