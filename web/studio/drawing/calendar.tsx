import { useState } from "preact/hooks";
import type { Item } from "../../../packages/client/src/delivery.ts";
import { useLoad } from "../load.tsx";
import { TextChoice } from "../text-choice.tsx";
import { useDrawing } from "./drawing.ts";
import type { JsonOf } from "./json-of.ts";
import { Note, Text } from "./parts.tsx";
import { contentOf, explainHidden, type Resolved } from "./resolved.ts";
import { printDay, toDay } from "./text.ts";

const ITEMS = "svc.cda.ott.page_component.v2.PageComponentService/ListPageComponentItems";

/** The items of a component by day. It opens on today, or on its first items if there are none today. */
export function Calendar({ resolved }: { resolved: Resolved }) {
  const { component, items = [], hidden } = resolved;
  const drawing = useDrawing();
  const { language, session } = drawing;
  const today = toDay(new Date(drawing.now));
  const [chosen, setChosen] = useState<string>();
  const day = chosen ?? today;
  const ofDay = useLoad(async () => {
    if (hidden || day === "") return [];
    const { pageId, parameters, read } = drawing;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const id = component?.id ?? "";
    const request = { id, pageId, parameters, session, day, timeZone, pageSize: 100 };
    return (await read(ITEMS, request)).message.items ?? [];
  }, [day, hidden, JSON.stringify(items), drawing]);
  const found = ofDay.value ?? [];
  const shown = chosen ?? (found.length > 0 ? today : "");
  return (
    <div>
      <TextChoice label="Day" type="date" value={shown} onChoose={setChosen} />
      <div class="days">
        {hidden ? (
          <Note>{explainHidden(resolved, session)}</Note>
        ) : chosen && ofDay.error ? (
          <Note>{ofDay.error.message}</Note>
        ) : (
          <Days items={shown === "" ? items : found} language={language} />
        )}
      </div>
    </div>
  );
}

function Days({ items, language }: { items: readonly JsonOf<Item>[]; language: string }) {
  if (items.length === 0) return <Note>Nothing on this day.</Note>;
  const { format } = new Intl.DateTimeFormat(language, { timeStyle: "short" });
  const byDay = Map.groupBy(items, (it) => printDay(contentOf(it).startTime ?? "1970", language));
  return Array.from(byDay, ([day, ofDay]) => (
    <section key={day} class="day">
      <h3>{day}</h3>
      <ul class="agenda">
        {ofDay.map(contentOf).map(({ id, startTime = "", title }) => (
          <li key={id}>
            <time dateTime={startTime}>{startTime && format(new Date(startTime))}</time>
            <span>
              <Text of={title} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  ));
}
