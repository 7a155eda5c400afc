import { expect, test } from "vitest";
import { getUrl } from "../../harness/calls.ts";
import { send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee({ limits: { cacheMib: 8 } });
const calls = new ReleaseCalls(marquee);

const LIST = getUrl("svc.cda.cms.event.v1.EventService/ListEvents", { pageSize: 2 });
const list = () => send("GET", `${marquee.url}/${LIST}`, { token: marquee.keys.public });

/** Returns how many reads the cache did not have. */
async function countMisses(): Promise<number> {
  const { text } = await send("GET", `${marquee.url}/metrics`);
  const [, count] = /marquee_cache_reads_total\{result="miss"\} (\d+)/.exec(text) ?? [];
  return Number(count);
}

test("B: 200 autosaves into a release drop no cached response", async () => {
  const release = await calls.createRelease("autosaved");
  const [event] = (await list()).json.events;
  const before = await list();
  const misses = await countMisses();
  for (let round = 0; round < 4; round += 1) {
    const saves = Array.from({ length: 50 }, (_, index) =>
      calls.patchEvent(event.id, { title: { en: `Draft ${round}.${index}` } }, release),
    );
    await Promise.all(saves);
    expect((await list()).text).toBe(before.text);
  }
  expect((await list()).headers.get("etag")).toBe(before.headers.get("etag"));
  expect(await countMisses()).toBe(misses);
  await calls.patchEvent(event.id, { title: { en: "Live" } });
  expect((await list()).text).not.toBe(before.text);
  expect(await countMisses()).toBe(misses + 1);
});
