import type { JsonObject } from "@bufbuild/protobuf";
import { useApp } from "./app.ts";
import { KINDS, type Kind, permissionOf, titleOf } from "./kinds.ts";
import { listItems } from "./list-items.ts";
import { useLoad } from "./load.tsx";
import { nameOf } from "./releases/list.tsx";
import { useAccessOf } from "./resource.ts";
import { linkTo } from "./router.ts";
import { printDistance, printMoment } from "./times.ts";

/** The days of the line of time. */
const DAYS = 14;

const DAY = 86_400_000;

/** The most items of a kind on the line. */
const ITEMS = 20;

/** A moment at which viewers see something else. */
interface Moment {
  readonly time: string;
  readonly title: string;
  readonly what: "applies" | "comes" | "leaves";
  readonly link: string;
}

/** The next two weeks: releases that apply, and items that come or leave by their availability. */
export function Timeline() {
  const { route, releases, permissions } = useApp();
  const accessOf = useAccessOf();
  const items = useLoad(
    async (signal) => {
      const readable = KINDS.filter(({ hasPictures }) => hasPictures)
        .map(accessOf)
        .filter(({ methods }) => permissions.has(permissionOf(methods.list)));
      const filter = ["availability.start_time", "availability.end_time"]
        .map((it) => `(${it} >= now and ${it} <= now+${DAYS}d)`)
        .join(" or ");
      const lists = readable.map(async (access) => {
        const query = { filter, pageSize: ITEMS };
        const page = await listItems({ ...access, release: "" }, query, signal);
        return page.items.flatMap((item) => momentsOf(access.kind, item));
      });
      return (await Promise.all(lists)).flat();
    },
    [route.projectId],
  );
  const applied = releases.map((release): Moment => {
    const link = linkTo(route, "releases", String(release.id));
    return { time: String(release.apply_time), title: nameOf(release), what: "applies", link };
  });
  const now = Date.now();
  const moments = [...applied, ...(items.value ?? [])]
    .filter(({ time }) => Date.parse(time) >= now && Date.parse(time) <= now + DAYS * DAY)
    .toSorted((a, b) => a.time.localeCompare(b.time));
  return (
    <section class="card timeline">
      <h2>The next two weeks</h2>
      {items.state}
      {moments.length === 0 && items.state === undefined && (
        <p class="note">No release is scheduled, and no item comes or leaves.</p>
      )}
      {moments.length > 0 && (
        <ol>
          {moments.map(({ time, title, what, link }) => (
            <li key={`${link}${what}`} class={what}>
              <span class="dot" aria-hidden="true" />
              <span>
                <a href={link}>{title}</a> {what}
              </span>
              <span class="note" title={printDistance(time)}>
                {printMoment(time)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );

  function momentsOf(kind: Kind, item: JsonObject) {
    const window = (item.availability ?? {}) as Readonly<Record<string, string>>;
    const link = linkTo(route, kind.section, String(item.id));
    const moment = (time: string | undefined, what: Moment["what"]): Moment[] =>
      time === undefined ? [] : [{ time, title: titleOf(item), what, link }];
    return [...moment(window.startTime, "comes"), ...moment(window.endTime, "leaves")];
  }
}
