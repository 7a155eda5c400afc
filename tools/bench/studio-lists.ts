import { join } from "node:path";
import type { Page } from "playwright-core";
import { findChromium, launchChromium } from "../../test/browser/chromium.ts";
import { openStudio, openView } from "../../test/browser/studio.ts";
import { ALPHA } from "../../test/storage/small-dataset.ts";
import {
  createEventFile,
  type EventDatabase,
  importEvents,
  measureOnEngines,
} from "./event-database.ts";
import { median } from "./load.ts";
import type { Bench } from "./section.ts";

const EVENTS = `#/${ALPHA}/events`;

/** Each act is repeated so many times. */
const TURNS = 20;

/** Measures in Chromium how long the studio takes to show a list of many events, on each engine. */
export function measureStudioLists(bench: Bench): Promise<void> {
  return measureOnEngines(bench.servers, (engine, database) => measureOn(engine, database, bench));
}

async function measureOn(
  engine: string,
  { database, token }: EventDatabase,
  { plan: { storedEvents }, table, servers }: Bench,
): Promise<void> {
  const file = await createEventFile(join(servers.folder, "studio.ndjson"), storedEvents);
  await importEvents(file, database, storedEvents);
  const { port } = await servers.serve(database, { flags: ["--studio"] });
  const browser = await launchChromium(findChromium());
  const page = await openStudio(browser, `http://127.0.0.1:${port}`, token, EVENTS);
  const times = new Map(Object.keys(ACTS).map((name) => [name, [] as number[]]));
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const [name, act] of Object.entries(ACTS)) times.get(name)?.push(await act(page, turn));
  }
  await browser.close();
  for (const [name, measured] of times) {
    const work = `list of ${storedEvents} events in the studio, ${engine}, ${name}`;
    table.add(`${work}, p50 (ms)`, median(measured));
    table.add(`${work}, longest of ${TURNS} (ms)`, Math.max(...measured), "at most 500");
  }
}

/** The acts of a person who looks for an event: each returns the time until its rows are shown, in milliseconds. */
const ACTS: Readonly<Record<string, (page: Page, turn: number) => Promise<number>>> = {
  async "opened by its URL"(page) {
    const url = page.url().replace(/#.*/, EVENTS);
    await page.goto("about:blank");
    const start = performance.now();
    await page.goto(url);
    await page.getByRole("row").nth(1).waitFor();
    return performance.now() - start;
  },
  async "opened from the menu"(page) {
    await openView(page, `#/${ALPHA}`);
    await page.getByRole("heading", { name: "Latest changes" }).waitFor();
    return measure(page, `document.querySelector('a[href="${EVENTS}"]').click();`);
  },
  "next page": (page) => measure(page, 'document.querySelector(".pages button + * + *").click();'),
  search: (page, turn) => measure(page, enter(`Team ${turn}`, "")),
  "filter by KQL": (page, turn) =>
    measure(page, enter("", `content_type: match and fields.season.id: ${1_970 + turn}`)),
};

/** Acts, and measures the time until rows are shown that differ from those before. */
function measure(page: Page, act: string): Promise<number> {
  return page.evaluate(`(async () => {
    const list = () =>
      [...document.querySelectorAll("table:not([aria-busy]) small")].map((it) => it.textContent).join();
    const before = list();
    const start = performance.now();
    ${act}
    while (["", before].includes(list())) await new Promise(requestAnimationFrame);
    return performance.now() - start;
  })()`);
}

/** Enters a search and a filter above the list. */
function enter(search: string, filter: string): string {
  return `
    const form = document.querySelector("form.tools");
    form.elements.q.value = ${JSON.stringify(search)};
    form.elements.filter.value = ${JSON.stringify(filter)};
    form.requestSubmit();`;
}
