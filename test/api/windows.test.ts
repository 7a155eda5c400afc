import { toJson } from "@bufbuild/protobuf";
import { TimestampSchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { fuzzWindows } from "../../tools/fuzz/windows.ts";
import { connectHeaders } from "../harness/calls.ts";
import { ENGINE, openFresh } from "../harness/fresh-store.ts";
import { type HttpResponse, metadataOf, reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { importText, toText } from "../transfer/transfer.ts";
import { COLLECTIONS } from "./collections.ts";
import { callDelivery, idsOf, type Key } from "./delivery.ts";
import type { JsonMessage } from "./methods.ts";
import {
  componentsOf,
  droppedOf,
  getComponent,
  getPage,
  itemIds,
  listItems,
} from "./pages/pages.ts";
import { ReleaseCalls } from "./releases/releases.ts";

// The cases are the acceptance cases of issue 38. Clocks are set: nothing is written at a start or an end.

let now = Date.now();
const marquee = await useMarquee({ clock: () => new Date(now) });
const { call, patchEvent, createEvent, ...calls } = bind(new ReleaseCalls(marquee));

function bind(of: ReleaseCalls) {
  return {
    call: of.call.bind(of),
    send: of.send.bind(of),
    patchEvent: of.patchEvent.bind(of),
    createEvent: of.createEvent.bind(of),
    createRelease: of.createRelease.bind(of),
  };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const PUBLISHED = { project_id: "worldcup", visibility: "VISIBILITY_PUBLISHED" };
const timeAt = (offset: number) => new Date(now + offset).toISOString();
/** Prints a time as responses do: a whole second has no fraction. */
const printTime = (time: number) => toJson(TimestampSchema, timestampFromMs(time));
const until = (offset: number) => ({ availability: { end_time: timeAt(offset) } });
const from = (offset: number) => ({ availability: { start_time: timeAt(offset) } });

const read = (method: string, message: JsonMessage, key?: Key) =>
  callDelivery(marquee, `svc.cda.${method}`, message, key);
const listEvents = (message: JsonMessage, key?: Key) =>
  read("cms.event.v1.EventService/ListEvents", message, key);

/** Creates a thing of each kind under a name, each with the window, and a page that shows them. */
async function createEverything(name: string, window: JsonMessage): Promise<void> {
  const fields = { ...PUBLISHED, content_type: name, title: { en: `Word${name}` }, ...window };
  await createEvent(`e-${name}`, fields);
  const opened = { ...PUBLISHED, content_type: name };
  await createEvent(`f-${name}`, { ...opened, title: { en: `Word${name}` } });
  await call("POST", `cms/creative_works/v1?creative_work_id=w-${name}`, fields);
  await call("POST", `cms/entities/v1?entity_id=n-${name}`, fields);
  const named = { ...PUBLISHED, name, ...window };
  await call("POST", `ott/banner_collections/v2?banner_collection_id=b-${name}`, {
    ...named,
    banners: [],
  });
  await call("POST", `monetization/offers/v1?offer_id=o-${name}`, named);
  await call("POST", `ott/pages/v1?page_id=q-${name}`, {
    ...{ ...PUBLISHED, slug: `q-${name}`, ...window },
  });
  await call("POST", `ott/pages/v1?page_id=p-${name}`, { ...PUBLISHED, slug: name });
  const components: readonly (readonly [string, JsonMessage])[] = [
    ["rail", { rail: { type: "BASE_TYPE_EVENT", filter: `content_type: ${name}` } }],
    ["pins", { rail: { type: "BASE_TYPE_EVENT", filter: "id: none", pinned: [`e-${name}`] } }],
    ["text", { text: { text: { en: "x" } }, ...window }],
    ["banners", { banner_collection_v2: { id: `b-${name}` } }],
    ["offers", { offers: { offer: [{ offer_id: `o-${name}` }] } }],
  ];
  for (const [id, data] of components) {
    const [type = ""] = Object.keys(data);
    await call("POST", `ott/page_components/v2?page_id=p-${name}&page_component_id=${id}-${name}`, {
      ...{ ...PUBLISHED, type, ...data },
    });
  }
  await call("POST", `ott/page_components/v2?page_id=q-${name}&page_component_id=in-${name}`, {
    ...{ ...PUBLISHED, type: "text", text: { text: { en: "x" } } },
  });
}

/** Reads everything of a name, each read as the ids that it shows, or its error. */
async function readEverything(name: string, key?: Key): Promise<Record<string, unknown>> {
  const shown = (got: HttpResponse, ids: unknown) => (got.status === 200 ? ids : reasonOf(got));
  const get = async (method: string, id: string) => {
    const got = await read(method, { id }, key);
    return shown(got, "found");
  };
  const filter = `content_type: ${name}`;
  const page = await getPage(marquee, { slug: name, includeItems: true }, key);
  const parts = componentsOf(page);
  const list = await listEvents({ filter, includeTotal: true }, key);
  return {
    list: idsOf(list, "events"),
    total: list.json.total,
    search: idsOf(await listEvents({ search: `word${name}` }, key), "events"),
    event: await get("cms.event.v1.EventService/GetEvent", `e-${name}`),
    work: await get("cms.creative_work.v1.CreativeWorkService/GetCreativeWork", `w-${name}`),
    entity: await get("cms.entity.v1.EntityService/GetEntity", `n-${name}`),
    banners: await get(
      "ott.banner_collection.v2.BannerCollectionService/GetBannerCollection",
      `b-${name}`,
    ),
    offers: idsOf(
      await read("monetization.offer.v1.OfferService/ListOffers", { pageSize: 1000 }, key),
      "offers",
    ).filter((id) => id.endsWith(`-${name}`)),
    page: await getPage(marquee, { id: `q-${name}` }, key).then((got) => shown(got, "found")),
    component: await getComponent(marquee, { id: `in-${name}` }, key).then((got) =>
      shown(got, "found"),
    ),
    rail: itemIds(parts.get(`rail-${name}`)?.items),
    items: itemIds((await listItems(marquee, { id: `rail-${name}` }, key)).json.items),
    pins: itemIds(parts.get(`pins-${name}`)?.items),
    text: parts.has(`text-${name}`),
    shownBanners: parts.get(`banners-${name}`)?.bannerCollection?.id ?? "",
    shownOffers: parts.get(`offers-${name}`)?.offers?.map(({ id }) => id) ?? [],
    dropped: droppedOf(page).map(([id = ""]) => id),
  };
}

const OPEN = (name: string) => ({
  list: [`e-${name}`, `f-${name}`],
  total: 2,
  search: [`e-${name}`, `f-${name}`],
  ...{ event: "found", work: "found", entity: "found", banners: "found" },
  offers: [`o-${name}`],
  ...{ page: "found", component: "found" },
  rail: [`e-${name}`, `f-${name}`],
  items: [`e-${name}`, `f-${name}`],
  pins: [`e-${name}`],
  text: true,
  shownBanners: `b-${name}`,
  shownOffers: [`o-${name}`],
  dropped: [],
});

const MISSING = "RESOURCE_NOT_FOUND";
const CLOSED = (name: string) => ({
  list: [`f-${name}`],
  total: 1,
  search: [`f-${name}`],
  ...{ event: MISSING, work: MISSING, entity: MISSING, banners: MISSING },
  offers: [],
  ...{ page: MISSING, component: MISSING },
  rail: [`f-${name}`],
  items: [`f-${name}`],
  pins: [],
  text: false,
  shownBanners: "",
  shownOffers: [],
  dropped: [`banners-${name}`, `offers-${name}`],
});

describe("without a write", () => {
  test("case 1: everything that ends leaves lists, pages, search and gets", async () => {
    await createEverything("leaving", until(MINUTE));
    expect(await readEverything("leaving")).toEqual(OPEN("leaving"));
    now += MINUTE - 1;
    expect(await readEverything("leaving")).toEqual(OPEN("leaving"));
    now += 1;
    expect(await readEverything("leaving")).toEqual(CLOSED("leaving"));
    expect(await readEverything("leaving", "preview")).toEqual(OPEN("leaving"));
  });

  test("case 2: everything that starts comes, also to a page in memory", async () => {
    await createEverything("coming", from(MINUTE));
    expect(await readEverything("coming")).toEqual(CLOSED("coming"));
    now += MINUTE - 1;
    expect(await readEverything("coming")).toEqual(CLOSED("coming"));
    now += 1;
    expect(await readEverything("coming")).toEqual(OPEN("coming"));
  });

  test("case 4: a response from memory lives no longer in a CDN than it is true", async () => {
    await createEvent("e-soon", { ...PUBLISHED, content_type: "soon", ...until(59 * SECOND) });
    const control = async () => {
      const got = await listEvents({ filter: "content_type: soon" });
      return got.headers.get("cache-control");
    };
    expect(await control()).toBe("public, s-maxage=59, stale-while-revalidate=0");
    now += 30 * SECOND;
    expect(await control()).toBe("public, s-maxage=29, stale-while-revalidate=0");
    now += 29 * SECOND;
    expect(await control()).toMatch(/s-maxage=60,/);
  });
});

test("a window narrows the visibility and never widens it", async () => {
  const window = { ...from(-MINUTE), content_type: "narrow" };
  await createEvent("e-hidden", { ...PUBLISHED, ...window, visibility: "VISIBILITY_HIDDEN" });
  await createEvent("e-unlisted", { ...PUBLISHED, ...window, visibility: "VISIBILITY_UNLISTED" });
  expect(idsOf(await listEvents({ filter: "content_type: narrow" }), "events")).toEqual([]);
  const statuses = ["e-hidden", "e-unlisted"].map((id) =>
    read("cms.event.v1.EventService/GetEvent", { id }),
  );
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([404, 200]);
});

test("filters read windows", async () => {
  await createEvent("e-filter", { ...PUBLISHED, content_type: "filtered", ...until(3 * MINUTE) });
  for (const [filter, want] of [
    ["availability.end_time < now+7d", ["e-filter"]],
    ["availability.end_time < now+1m", []],
    ["availability: *", ["e-filter"]],
    ["availability.start_time: *", []],
  ] as const) {
    const got = await listEvents({ filter: `content_type: filtered and ${filter}` });
    expect([filter, idsOf(got, "events")]).toEqual([filter, want]);
  }
});

test("case 9: a draft of a window shows in the preview alone, and everywhere once it is applied", async () => {
  await createEvent("e-draft", { ...PUBLISHED, content_type: "drafted" });
  await calls.createRelease("windows");
  await patchEvent("e-draft", until(30 * SECOND), "windows");
  const list = async (headers: Readonly<Record<string, string>> = {}) => {
    const url = `${marquee.url}/svc.cda.cms.event.v1.EventService/ListEvents`;
    const token = "x-release-id" in headers ? marquee.keys.preview : marquee.keys.public;
    const body = { filter: "content_type: drafted" };
    return send("POST", url, { headers: { ...connectHeaders(token), ...headers }, body });
  };
  const preview = { "x-release-id": "windows", "x-preview-audience": "public" };
  const later = { ...preview, "x-preview-time": timeAt(MINUTE) };
  expect(idsOf(await list(preview), "events")).toEqual(["e-draft"]);
  expect(idsOf(await list(later), "events")).toEqual([]);
  const before = await list();
  expect(before.headers.get("cache-control")).toMatch(/s-maxage=60,/);
  await call("POST", "cms/releases/v1/windows:apply", {});
  const after = await list();
  expect(idsOf(after, "events")).toEqual(["e-draft"]);
  expect(after.headers.get("cache-control")).toMatch(/s-maxage=30,/);
  now += 30 * SECOND;
  expect(idsOf(await list(), "events")).toEqual([]);
});

describe("playback", () => {
  const play = (method: "Authorize" | "Keep", videoId: string, key: Key = "public") =>
    send("POST", `${marquee.url}/svc.cda.streaming.playback.v1.PlaybackService/${method}Playback`, {
      headers: connectHeaders(marquee.keys[key]),
      body: { videoId, sessionKey: "s" },
    });
  const createVideo = (id: string, window: JsonMessage) =>
    call("POST", `streaming/videos/v1?video_id=${id}`, {
      ...{ project_id: "worldcup", name: id, playlist_url: `https://media.example/${id}/a.m3u8` },
      ...window,
    });

  test("case 10: ends with the video, the URL of the playlist too", async () => {
    await createVideo("v-end", until(20 * SECOND));
    const end = now + 20 * SECOND;
    const authorized = await play("Authorize", "v-end");
    const { expireTime, playlistUrl } = authorized.json;
    expect(Date.parse(expireTime)).toBe(Math.floor(end / SECOND) * SECOND);
    now = end - 1;
    expect((await play("Keep", "v-end")).status).toBe(200);
    now = end;
    const verified = await send("GET", `${marquee.url}/playback/v1/verify`, {
      headers: { "x-marquee-project": "worldcup", "x-original-uri": playlistUrl },
    });
    expect(verified.status).toBe(403);
    for (const method of ["Authorize", "Keep"] as const) {
      const got = await play(method, "v-end");
      expect([got.status, reasonOf(got), metadataOf(got)]).toEqual([
        ...[400, "VIDEO_NOT_AVAILABLE"],
        { rule: "availability", end_time: printTime(end) },
      ]);
    }
  });

  test("case 11: begins with the video for public keys, and at any time for preview keys", async () => {
    await createVideo("v-start", from(MINUTE));
    const start = printTime(now + MINUTE);
    const got = await play("Authorize", "v-start");
    expect([reasonOf(got), metadataOf(got)]).toEqual([
      "VIDEO_NOT_AVAILABLE",
      { rule: "availability", available_time: start },
    ]);
    expect((await play("Authorize", "v-start", "preview")).status).toBe(200);
    now += MINUTE;
    expect((await play("Authorize", "v-start")).status).toBe(200);
  });

  test("begins with the first whole millisecond of a start between two", async () => {
    const start = timeAt(0).replace("Z", "1Z");
    await createVideo("v-between", { availability: { start_time: start } });
    expect(metadataOf(await play("Authorize", "v-between"))).toMatchObject({
      available_time: expect.stringContaining(start.slice(0, -1)),
    });
    now += 1;
    expect((await play("Authorize", "v-between")).status).toBe(200);
  });

  test("case 12: an item outside of its window still protects its video", async () => {
    await createVideo("v-kept", {});
    await createEvent("e-kept", { ...PUBLISHED, video_ids: ["v-kept"], ...until(MINUTE) });
    await call("POST", "streaming/video_protection/v2/rulesets?ruleset_id=kept", {
      ...{ project_id: "worldcup", name: "Kept", priority: "9000", require_authentication: true },
      target: { event_ids: ["e-kept"] },
    });
    now += MINUTE;
    expect(reasonOf(await play("Authorize", "v-kept"))).toBe("AUTHENTICATION_REQUIRED");
  });

  test("a simulation places its time in the window, and warns of a video that outlives its items", async () => {
    await createVideo("v-sim", {
      availability: { start_time: timeAt(0), end_time: timeAt(MINUTE) },
    });
    await createVideo("v-long", {});
    const simulate = async (video_id: string, offset = 0) => {
      const got = await call("POST", "streaming/video_protection/v2/rulesets:simulate", {
        ...{ project_id: "worldcup", video_id, time: timeAt(offset) },
      });
      return [got.availability, (got.warnings ?? []).map((it: { code: string }) => it.code)];
    };
    expect([
      await simulate("v-sim", -1),
      await simulate("v-sim"),
      await simulate("v-sim", MINUTE),
    ]).toEqual(["BEFORE", "OPEN", "AFTER"].map((it) => [`AVAILABILITY_${it}`, []]));
    const warning = ["AVAILABILITY_OPEN", ["VIDEO_OUTLIVES_ITEM"]];
    expect(await simulate("v-long")).toEqual(["AVAILABILITY_OPEN", []]);
    await createEvent("e-long", { ...PUBLISHED, video_ids: ["v-long"], ...until(MINUTE) });
    expect(await simulate("v-long")).toEqual(warning);
    await createEvent("e-longer", { ...PUBLISHED, video_ids: ["v-long"] });
    expect(await simulate("v-long")).toEqual(["AVAILABILITY_OPEN", []]);
  });
});

describe("case 13: a window is checked", () => {
  const WRONG = { availability: { start_time: timeAt(MINUTE), end_time: timeAt(MINUTE) } };
  const early = { availability: { start_time: "1969-12-31T23:59:59Z" } };
  test.each([
    ["event", {}],
    ["entity", {}],
    ["creative_work", {}],
    ["video", { name: "x" }],
    ["page", { slug: "wrong" }],
    ["offer", { name: "x" }],
    ["banner_collection", { name: "x" }],
    ["page_component", { type: "text", text: { text: { en: "x" } } }],
  ] as const)("in a resource of the kind %s", async (kind, fields) => {
    const place = kind === "page_component" ? "?page_id=page-home" : "";
    for (const [window, end] of [
      [WRONG, "end_time"],
      [early, "start_time"],
    ] as const) {
      const resource = { project_id: "worldcup", ...fields, ...window };
      const got = await calls.send("POST", `${COLLECTIONS[kind]}${place}`, resource);
      expect([got.status, reasonOf(got), metadataOf(got)?.field]).toEqual([
        ...[400, "WINDOW_INVALID", `${kind}.availability.${end}`],
      ]);
    }
  });

  test("in records", async () => {
    const event = { id: "e-wrong", project_id: "worldcup", ...WRONG };
    const got = await calls.send("POST", "cms/records/v1:write", {
      project_id: "worldcup",
      records: [{ event }],
    });
    expect(got.text).toContain("WINDOW_INVALID");
    expect(got.text).toContain("event.availability.end_time");
  });

  test("in an import", async () => {
    const event = { id: "e-wrong", project_id: "worldcup", ...WRONG };
    await expect(importText(marquee.store, toText([{ event }]))).rejects.toMatchObject({
      original: {
        reason: "WINDOW_INVALID",
        message: expect.stringMatching(/^event\.availability\.end_time: /),
      },
    });
  });
});

// A sample of `npm run fuzz`, which compares far more.
test("case 8: a preview of a time equals the public read then, and case 7: both equal a copy", async () => {
  // The property of the storage contract has 150 lists on PostgreSQL, too.
  const wanted = ENGINE === "sqlite" ? 500 : 100;
  const { cases, shown, errors } = await fuzzWindows({ openFresh, cases: wanted, seed: 38 });
  expect(errors).toEqual([]);
  expect(shown).toBeGreaterThan(cases / 3);
});
