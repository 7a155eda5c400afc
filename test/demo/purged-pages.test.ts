import { expect, test } from "vitest";
import { createDemoDataset } from "../../demo/data/dataset.ts";
import type { AnnouncedKind } from "../../src/domain/kinds.ts";
import { type ContentState, listSurrogateKeys } from "../../src/domain/webhooks/delivery.ts";
import { getPage } from "../api/pages/pages.ts";
import { useMarquee } from "../harness/use-marquee.ts";

// The figures of docs/caching.md.

const marquee = await useMarquee();
const { pages, events, entities, creativeWorks } = createDemoDataset();
const components = pages.flatMap((record) => record.components);

const OBJECTS: Readonly<Record<string, readonly ContentState[]>> = {
  team: entities.filter((it) => it.contentType === "team"),
  player: entities
    .filter((it) => it.contentType === "player")
    .filter((_, index) => index % 8 === 0),
  highlights: creativeWorks,
};

/** Reads the pages of the World Cup that can be cached: for every team, film and eighth player. */
async function readPages(): Promise<readonly (readonly string[])[]> {
  const slugs = ["home", "all-highlights", "tables", "search", "help"];
  const requests: { slug: string; parameters?: { id: string } }[] = slugs.map((slug) => ({ slug }));
  for (const [slug, objects] of Object.entries(OBJECTS)) {
    const shown = objects.filter(({ projectId }) => projectId === "worldcup");
    requests.push(...shown.map(({ id }) => ({ slug, parameters: { id } })));
  }
  const keys: string[][] = [];
  for (const request of requests) {
    const { status, headers } = await getPage(marquee, { ...request, includeItems: true });
    expect(status).toBe(200);
    keys.push(headers.get("surrogate-key")?.split(" ") ?? []);
  }
  return keys;
}

/** Returns the keys of an update of a resource. */
function keysOf(kind: AnnouncedKind, state: ContentState | undefined, pageId?: string) {
  if (state === undefined) throw new Error(`no ${kind}`);
  return listSurrogateKeys({ kind, before: state, after: state, pageId, revision: 1 });
}

test("a change drops only some of the cached pages of the demo", async () => {
  const cached = await readPages();
  const count = (keys: readonly string[]) =>
    cached.filter((page) => page.some((key) => keys.includes(key))).length;
  const ofType = (type: string) => events.find((it) => it.contentType === type);
  const banner = components.find(({ id }) => id === "banner-home");
  const film = creativeWorks.find(({ id }) => id === "highlights-2026-104");
  const goal = events.find(({ id }) => id === "match-2026-104");
  expect({
    pages: cached.length,
    component: count(keysOf("page_component", banner, "page-home")),
    film: count(keysOf("creative_work", film)),
    documentary: count(keysOf("creative_work", film && { ...film, contentType: "documentary" })),
    score: count(keysOf("event", goal)),
    pressConference: count(keysOf("event", ofType("press_conference"))),
  }).toEqual({
    ...{ pages: 283, component: 1, film: 69, documentary: 67 },
    ...{ score: 9, pressConference: 4 },
  });
});
