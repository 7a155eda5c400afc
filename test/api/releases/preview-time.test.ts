import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { ConflictPolicy, ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { getUrl } from "../../harness/calls.ts";
import { send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const HOUR = 3_600_000;
const COUNTRY = "x-viewer-country";

let now = Date.now();
const marquee = await useMarquee({
  clock: () => new Date(now),
  location: { countryHeader: COUNTRY },
});
const releases = new ReleaseCalls(marquee);
const EVENTS = "svc.cda.cms.event.v1.EventService/ListEvents";
const PUBLISHED = { visibility: "VISIBILITY_PUBLISHED" };
const timeAt = (hours: number) => new Date(now + hours * HOUR).toISOString();

/** Reads that depend on the clock, by the filter, the rail of a page, and the times of rulesets. */
const READS: readonly (readonly [string, JsonMessage])[] = [
  [EVENTS, { filter: "content_type: k and start_time <= now", order: "start_time desc" }],
  [EVENTS, { filter: "content_type: k and start_time > now", pageSize: 2 }],
  [EVENTS, { filter: "content_type: k", excludeGeoblocked: true }],
  ["svc.cda.ott.page.v1.PageService/GetPage", { id: "page-k", includeItems: true }],
];

async function read(headers: Readonly<Record<string, string>>, token: string) {
  const responses: unknown[] = [];
  for (const [procedure, message] of READS) {
    let pageToken = "";
    // A list may end earlier on a busy machine, and continues with its token.
    do {
      const url = `${marquee.url}/${getUrl(procedure, { ...message, pageToken })}`;
      const got = await send("GET", url, { token, headers: { [COUNTRY]: "DE", ...headers } });
      expect(got.status, got.text).toBe(200);
      const text = JSON.stringify(got.json.events ?? got.json, (key, value) =>
        /^(updateTime|itemsNextPageToken)$/.test(key) ? undefined : value,
      );
      responses.push(...[JSON.parse(text)].flat());
      pageToken = got.json.nextPageToken ?? "";
    } while (pageToken !== "");
    responses.push(procedure);
  }
  return responses;
}

test("K: a time after three scheduled releases shows what applying them until then shows", async () => {
  const inProject = { project_id: DEMO.projectId };
  for (const hours of [-2, 1, 3, 5, 7, 9]) {
    const fields = { ...PUBLISHED, content_type: "k", start_time: timeAt(hours) };
    await releases.createEvent(`k${hours}`, fields);
  }
  await releases.createPage("page-k");
  const rail = { type: "BASE_TYPE_EVENT", filter: "content_type: k and start_time >= now-4h" };
  await releases.createComponent("page-k", "rail", { type: "rail", rail });
  const drafts: readonly (readonly [string, number, (id: string) => Promise<unknown>])[] = [
    ["k-b", 2, (id) => releases.patchEvent("k1", { title: { en: id } }, id)],
    ["k-a", 2, (id) => releases.patchEvent("k3", { start_time: timeAt(8) }, id)],
    [
      "k-c",
      4,
      async (id) => {
        await releases.patchEvent("k1", { title: { en: id } }, id);
        await releases.createEvent("k-new", { ...PUBLISHED, content_type: "k" }, id);
        const path = `streaming/video_protection/v2/rulesets?ruleset_id=k&release_id=${id}`;
        await releases.call("POST", path, {
          ...{ ...inProject, name: "K", priority: "9000", target: { event_ids: ["k5"] } },
          geo_restrictions_disallow: { country_codes: ["DE"] },
        });
      },
    ],
  ];
  const { release } = marquee.store.in(DEMO.organizationId).documents;
  for (const [id, hours, write] of drafts) {
    await releases.createRelease(id);
    await write(id);
    const applyTime = timestampFromDate(new Date(timeAt(hours)));
    const scheduled = { state: ReleaseState.SCHEDULED, applyTime };
    const conflictPolicy = ConflictPolicy.RELEASE_WINS;
    await release.update(id, ({ value }) => ({ ...value, ...scheduled, conflictPolicy }));
  }
  const start = now;
  const times = [0, 1, 2, 3, 4, 6].map((hours) => start + hours * HOUR);
  const previews: unknown[] = [];
  for (const time of times) {
    const headers = { "x-preview-time": new Date(time).toISOString() };
    previews.push(await read({ ...headers, "x-preview-audience": "public" }, marquee.keys.preview));
  }
  expect(new Set(previews.map((it) => JSON.stringify(it))).size).toBe(times.length);
  for (const [index, time] of times.entries()) {
    now = time;
    for (const [id, hours] of drafts.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const isDue = start + hours * HOUR <= now;
      const { value } = await release.get(id);
      if (!isDue || value.state === ReleaseState.APPLIED) continue;
      await releases.applied(id);
    }
    expect(await read({}, marquee.keys.public)).toEqual(previews[index]);
  }
});
