import { toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { importDemoReleases } from "../../demo/releases.ts";
import { PageComponentSchema } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { send } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";

/** The last second of a day. */
const NOW = new Date("2026-06-20T23:59:59Z");

const marquee = await useMarquee({ clock: () => NOW });
const promotion = async () => {
  const { pageComponents } = marquee.store.in("org-worldcup");
  return toJson(PageComponentSchema, (await pageComponents.get("promo-home-pass")).value);
};
const before = await promotion();
await importDemoReleases(marquee.store, NOW);

const call = async (path: string, method = "GET") => {
  const body = method === "GET" ? undefined : {};
  return (await send(method, marquee.url + path, { token: marquee.tokens.owner, body })).json;
};

/** Returns the ids of the components of the home page, and its texts, as a preview shows them. */
async function preview(headers: Readonly<Record<string, string>>) {
  const message = encodeURIComponent(JSON.stringify({ slug: "home", includeItems: true }));
  const url = `${marquee.url}/svc.cda.ott.page.v1.PageService/GetPage?encoding=json&message=${message}`;
  const authorization = `Bearer ${marquee.keys.preview}`;
  const { json, text } = await send("GET", url, { headers: { authorization, ...headers } });
  return { text, ids: json.components.map((it: Resolved) => it.component.id) as string[] };
}

interface Resolved {
  readonly component: { readonly id: string };
}

test("the demo has an open release with a conflict, and one that is scheduled for the next morning", async () => {
  const { releases } = await call("/cms/releases/v1?project_id=worldcup");
  const got = releases.map(({ id, state, item_count }: Record<string, unknown>) => {
    return [id, state, item_count];
  });
  expect(got).toEqual([
    ["knockout-stage", "RELEASE_STATE_OPEN", 4],
    ["match-day", "RELEASE_STATE_SCHEDULED", 2],
  ]);
  const { release } = await call("/cms/releases/v1/match-day");
  expect(release.apply_time).toBe("2026-06-21T08:00:00Z");
  const { items } = await call("/cms/releases/v1/knockout-stage/items");
  const conflicts = items.flatMap((it: { conflicts?: unknown[] }) => it.conflicts ?? []);
  expect(conflicts).toEqual([
    {
      kind: "CONFLICT_KIND_PATH_CHANGED",
      path: "promotional_content.title.en",
      base: "Every match of the week",
      current: "Every goal, every match",
      draft: "The final, with one pass",
    },
  ]);
});

test("what is live stays as it was", async () => {
  expect(await promotion()).toEqual(before);
});

test("the release that is scheduled can be applied", async () => {
  expect(await call("/cms/releases/v1/match-day:check", "POST")).toEqual({ problems: [] });
});

test("a preview of the open release shows a rail more, none of the results, and the calendar first", async () => {
  const [live, draft] = [await preview({}), await preview({ "x-release-id": "knockout-stage" })];
  expect(draft.ids.slice(0, 3)).toEqual(["banner-home", "rail-home-road", "calendar-home"]);
  expect(live.ids.slice(0, 2)).toEqual(["banner-home", "rail-home-live"]);
  expect(live.ids.filter((it) => !draft.ids.includes(it))).toEqual(["rail-home-results"]);
  expect(draft.ids.filter((it) => !live.ids.includes(it))).toEqual(["rail-home-road"]);
  expect(draft.text).toContain("The final, with one pass");
});

test("a preview of the next day shows the page of the match day", async () => {
  const early = await preview({ "x-preview-time": "2026-06-21T07:59:59Z" });
  const due = await preview({ "x-preview-time": "2026-06-21T08:00:00Z" });
  const isShown = [early, due].map(({ text }) => text.includes("Match day: live tonight"));
  expect(isShown).toEqual([false, true]);
});

test("the release that is scheduled is applied at its time", async () => {
  const server = await startOver(marquee.store, {
    clock: () => new Date("2026-06-21T08:00:00Z"),
    runsActions: true,
  });
  const state = async () => (await call("/cms/releases/v1/match-day")).release.state;
  await expect.poll(state).not.toBe("RELEASE_STATE_SCHEDULED");
  expect(await state()).toBe("RELEASE_STATE_APPLIED");
  expect((await preview({})).text).toContain("Match day: live tonight");
  await server.close(1_000);
});
