import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { EventService } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { AuthService } from "../../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import { ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { databaseUnavailable } from "../../../src/domain/base/errors.ts";
import { connectHeaders, getUrl } from "../../harness/calls.ts";
import { type HttpResponse, rejection, send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { override } from "../../harness/override.ts";
import { TRANSPORTS } from "../../harness/transports.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { idsOf } from "../delivery.ts";
import { sampleOf } from "../method-samples.ts";
import { callConnect, type JsonMessage } from "../methods.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const COUNTRY = "x-viewer-country";
const DAY = 24 * 3_600_000;

const now = Date.now();
const marquee = await useMarquee({
  location: { countryHeader: COUNTRY },
  clock: () => new Date(now),
});
const { preview, public: publicKey, sandbox } = marquee.keys;
const releases = new ReleaseCalls(marquee);
const EVENTS = "svc.cda.cms.event.v1.EventService";
const PUBLISHED = { visibility: "VISIBILITY_PUBLISHED" };

type Headers = Readonly<Record<string, string>>;

/** Calls a read by GET, with a preview key unless given. */
const read = (procedure: string, message: JsonMessage, headers: Headers = {}, token = preview) =>
  send("GET", `${marquee.url}/${getUrl(procedure, message)}`, { token, headers });
const getEvent = (id: string, headers?: Headers, token?: string) =>
  read(`${EVENTS}/GetEvent`, { id }, headers, token);
const listEvents = async (message: JsonMessage, headers?: Headers, token?: string) =>
  idsOf(await read(`${EVENTS}/ListEvents`, message, headers, token), "events");
const through = (...ids: string[]) => ({ "x-release-id": ids.join(", ") });
const at = (time: number) => ({ "x-preview-time": new Date(time).toISOString() });
const PUBLIC = { "x-preview-audience": "public" };

/** Schedules an open release. */
const schedule = (id: string, time: number) =>
  marquee.store.in(DEMO.organizationId).documents.release.update(id, ({ value }) => ({
    ...value,
    state: ReleaseState.SCHEDULED,
    applyTime: timestampFromDate(new Date(time)),
  }));

beforeAll(async () => {
  await releases.createRelease("base");
  await releases.createEvent("new", { ...PUBLISHED, title: { en: "New" } }, "base");
  await releases.createEvent("hidden", { title: { en: "New" } }, "base");
  await releases.patchEvent("match-2026-1", { title: { en: "Changed" } }, "base");
  await releases.call("DELETE", "cms/events/v1/match-2026-2?release_id=base&force=true");
});

describe("X-Release-Id", () => {
  test("shows what a release creates, changes and deletes", async () => {
    expect((await getEvent("new", through("base"))).json.event.title).toEqual({ en: "New" });
    expect((await getEvent("match-2026-1", through("base"))).json.event.title.en).toBe("Changed");
    expect(rejection(await getEvent("match-2026-2", through("base")))[0]).toBe(404);
    const filter = "title.en: (New or Changed)";
    expect(await listEvents({ filter, order: "id asc" }, through("base"))).toEqual([
      ...["hidden", "match-2026-1", "new"],
    ]);
    expect(await listEvents({ search: "chang" }, through("base"))).toEqual(["match-2026-1"]);
  });

  test("changes no read without it", async () => {
    expect(await listEvents({ filter: "title.en: (New or Changed)" })).toEqual([]);
    expect((await getEvent("match-2026-2")).status).toBe(200);
  });

  test("shows a draft that has just been written", async () => {
    await releases.createRelease("autosaved");
    for (const title of ["One", "Two", "One"]) {
      await releases.patchEvent("match-2026-3", { title: { en: title } }, "autosaved");
      const got = await getEvent("match-2026-3", through("autosaved"));
      expect(got.json.event.title.en).toBe(title);
    }
    await releases.call("DELETE", "cms/events/v1/match-2026-3?release_id=autosaved&force=true");
    expect((await getEvent("match-2026-3", through("autosaved"))).status).toBe(404);
  });

  test("shows a later change at another path", async () => {
    await releases.createRelease("merged");
    await releases.createEvent("m1", { ...PUBLISHED, title: { en: "A" }, fields: { score: 0 } });
    await releases.patchEvent("m1", { title: { en: "B" } }, "merged");
    for (const score of [1, 2]) {
      await releases.patchEvent("m1", { fields: { score } });
      const { event } = (await getEvent("m1", through("merged"))).json;
      expect(event).toMatchObject({ title: { en: "B" }, fields: { score } });
      expect(event.updateTime).toBeDefined();
    }
  });

  test("puts later releases on top", async () => {
    for (const id of ["below", "above"]) {
      await releases.createRelease(id);
      await releases.patchEvent("match-2026-4", { title: { en: id } }, id);
    }
    await releases.patchEvent("match-2026-4", { content_type: "friendly" }, "below");
    const read = async (...ids: string[]) => {
      const { title, contentType } = (await getEvent("match-2026-4", through(...ids))).json.event;
      return [title.en, contentType];
    };
    expect(await read("below", "above")).toEqual(["above", "friendly"]);
    expect(await read("above", "below")).toEqual(["below", "friendly"]);
    expect(await read("above")).toEqual(["above", "match"]);
  });

  test("an applied release shows the current version", async () => {
    await releases.createRelease("applied");
    await releases.patchEvent("match-2026-5", { title: { en: "Draft" } }, "applied");
    await marquee.store
      .in(DEMO.organizationId)
      .documents.release.update("applied", ({ value }) => ({
        ...value,
        state: ReleaseState.APPLIED,
      }));
    const [got, want] = [
      await getEvent("match-2026-5", through("applied")),
      await getEvent("match-2026-5"),
    ];
    expect(got.text).toBe(want.text);
  });

  test("31: an unknown release and a release of another project have the bytes of not-found", async () => {
    const { documents } = marquee.store.in(DEMO.organizationId);
    const unknown = await getEvent("match-2026-1", through("foreign"));
    expect(rejection(unknown)).toEqual([404, "RESOURCE_NOT_FOUND"]);
    const { value } = await documents.release.get("base");
    await documents.release.create({ ...value, id: "foreign", projectId: "sandbox" });
    expect((await getEvent("match-2026-1", through("foreign"))).text).toBe(unknown.text);
    expect((await getEvent("match-2026-1", through("base", "foreign"))).text).toBe(unknown.text);
  });

  test.each([
    ["a,b,c,d,e,f", "TOO_MANY_ITEMS"],
    ["", "IDS_INVALID"],
    ["base,", "IDS_INVALID"],
  ])("'%s' is rejected: %s", async (ids, reason) => {
    expect(rejection(await getEvent("match-2026-1", { "x-release-id": ids }))).toEqual([
      400,
      reason,
    ]);
  });

  test("names at most five releases; repeated ones count once", async () => {
    const ids = ["1", "2", "3", "4", "5"].map((number) => `five-${number}`);
    for (const id of ids) await releases.createRelease(id);
    expect((await getEvent("match-2026-1", through(...ids, "five-1"))).status).toBe(200);
    expect((await getEvent("match-2026-1", through(...ids, "base"))).status).toBe(400);
  });
});

describe("X-Preview-Audience", () => {
  test("public shows what a public key would see", async () => {
    const headers = { ...through("base"), ...PUBLIC };
    expect(rejection(await getEvent("hidden", headers))[0]).toBe(404);
    expect((await getEvent("new", headers)).status).toBe(200);
    expect(await listEvents({ filter: "title.en: New" }, headers)).toEqual(["new"]);
    const message = { pageSize: 100 };
    expect(await listEvents(message, PUBLIC)).toEqual(await listEvents(message, {}, publicKey));
  });

  test("another value is rejected", async () => {
    const got = await getEvent("match-2026-1", { "x-preview-audience": "editors" });
    expect(rejection(got)).toEqual([400, "PREVIEW_AUDIENCE_INVALID"]);
    expect(got.text).toContain("x-preview-audience must be public, not 'editors'");
  });

  test.each(["deutschland", "de", "XX", ""])("does not hide the country '%s'", async (country) => {
    const headers = { ...PUBLIC, "x-preview-country": country };
    const list = await read(`${EVENTS}/ListEvents`, { excludeGeoblocked: true }, headers);
    expect(rejection(list)).toEqual([400, "COUNTRY_CODE_INVALID"]);
    const one = await getEvent("match-2026-1", { "x-preview-country": country });
    expect(rejection(one)).toEqual([400, "COUNTRY_CODE_INVALID"]);
  });
});

describe("X-Preview-Time", () => {
  test("applies what is scheduled until then, in the order of time, then id", async () => {
    for (const id of ["s-b", "s-a", "s-late", "s-top"]) {
      await releases.createRelease(id);
      await releases.patchEvent("match-2026-6", { title: { en: id } }, id);
    }
    const time = now + DAY;
    const titleAt = async (headers: Headers) =>
      (await getEvent("match-2026-6", headers)).json.event.title.en;
    const current = await titleAt({});
    expect(await titleAt(at(time))).toBe(current);
    await schedule("s-a", time);
    await schedule("s-b", time);
    await schedule("s-late", time + 1_000);
    expect(await titleAt(at(time - 1))).toBe(current);
    expect(await titleAt(at(time))).toBe("s-b");
    expect(await titleAt(at(time + 1_000))).toBe("s-late");
    expect(await titleAt({ ...at(time + 1_000), ...through("s-top") })).toBe("s-top");
    expect(await titleAt({ ...at(time + 1_000), ...through("s-a") })).toBe("s-a");
    expect(await titleAt({})).toBe(current);
  });

  const FIVE_YEARS = 5 * 365 * DAY;
  test.each([
    [0, 200],
    [-1, 400],
    [FIVE_YEARS, 200],
    [FIVE_YEARS + 1, 400],
  ])("%i ms from now: %i", async (ahead, status) => {
    const got = await getEvent("match-2026-1", at(now + ahead));
    expect(got.status).toBe(status);
    if (status === 400) expect(rejection(got)[1]).toBe("PREVIEW_TIME_INVALID");
  });

  const year = new Date(now).getUTCFullYear() + 1;
  const impossible = [`${year}-02-30T00:00:00Z`, `${year}-01-01T24:00:00Z`];
  test.each(["", "soon", "2026-13-01T00:00:00Z", "now", ...impossible])(
    "'%s' is rejected",
    async (time) => {
      const got = await getEvent("match-2026-1", { "x-preview-time": time });
      expect(rejection(got)).toEqual([400, "PREVIEW_TIME_INVALID"]);
      expect(got.text).toContain(`from now to five years ahead, not '${time}'`);
    },
  );
});

test("17: a ruleset of a release geoblocks in lists and decides in simulations, and playback does not read it", async () => {
  const inProject = { project_id: DEMO.projectId };
  await releases.createRelease("rules");
  await releases.call("POST", "streaming/videos/v1?video_id=v17", {
    ...{ ...inProject, name: "V", playlist_url: "https://cdn.example.com/v17/main.m3u8" },
  });
  await releases.createEvent("e17", { ...PUBLISHED, video_ids: ["v17"] });
  const rulesets = "streaming/video_protection/v2/rulesets";
  const simulate = (release_id = "") =>
    releases.call("POST", `${rulesets}:simulate`, {
      ...{ ...inProject, video_id: "v17", viewer: { country_code: "DE" }, release_id },
    });
  const before = await simulate();
  await releases.call("POST", `${rulesets}?ruleset_id=r17&release_id=rules`, {
    ...{ ...inProject, name: "R", priority: "9000", target: { event_ids: ["e17"] } },
    geo_restrictions_disallow: { country_codes: ["DE"] },
  });
  expect(await simulate()).toEqual(before);
  expect(await simulate("rules")).toMatchObject({
    ...{ decision: "DECISION_DENY", ruleset_id: "r17", reason: "GEO_NOT_ALLOWED" },
  });
  const message = { filter: "id: e17", excludeGeoblocked: true };
  const headers = { [COUNTRY]: "DE", ...through("rules") };
  expect(await listEvents(message, { [COUNTRY]: "DE" })).toEqual(["e17"]);
  expect(await listEvents(message, headers)).toEqual([]);
  expect(await listEvents(message, { ...headers, "x-preview-country": "FR" })).toEqual(["e17"]);
  const play = (extra: Headers) =>
    send("POST", `${marquee.url}/svc.cda.streaming.playback.v1.PlaybackService/AuthorizePlayback`, {
      headers: { ...connectHeaders(preview), [COUNTRY]: "DE", ...extra },
      body: { videoId: "v17", sessionKey: "s17" },
    });
  const [current, previewed] = [await play({}), await play(through("rules"))];
  expect([previewed.status, previewed.json.rulesetId]).toEqual([
    current.status,
    current.json.rulesetId,
  ]);
  expect((await play(through("missing"))).status).toBe(current.status);
});

describe("caching", () => {
  const ALL = { ...through("base"), ...PUBLIC, ...at(now + DAY) };

  test("a previewed response is for no cache, and revalidates by its bytes", async () => {
    for (const headers of [through("base"), PUBLIC, at(now + DAY)]) {
      const got = await getEvent("match-2026-1", headers);
      expect(got.headers.get("cache-control")).toBe("private, no-store");
      const etag = got.headers.get("etag") ?? "";
      expect((await getEvent("match-2026-1", { ...headers, "if-none-match": etag })).status).toBe(
        304,
      );
    }
    const etag = (await getEvent("match-2026-1")).headers.get("etag") ?? "";
    const headers = { ...through("base"), "if-none-match": etag };
    expect((await getEvent("match-2026-1", headers)).status).toBe(200);
  });

  test("the first of two reads at the same moment is not the response to the other", async () => {
    const got = await Promise.all(
      [{}, through("base"), {}, through("base")].map((headers) =>
        getEvent("match-2026-1", headers),
      ),
    );
    const titles = got.map(({ json }: HttpResponse) => json.event.title.en === "Changed");
    expect(titles).toEqual([false, true, false, true]);
  });

  test("32: a public key and a viewer's token ignore the headers, cached as ever", async () => {
    const { exchangeToken } = AuthService.method;
    const message = await sampleOf(marquee, exchangeToken);
    const { json } = await callConnect(marquee.url, exchangeToken, message, publicKey);
    for (const token of [publicKey, json.token, sandbox]) {
      for (const headers of [ALL, { ...through("missing"), "x-preview-time": "soon" }]) {
        const [want, got] = [
          await getEvent("match-2026-1", {}, token),
          await getEvent("match-2026-1", headers, token),
        ];
        expect([got.status, got.text]).toEqual([want.status, want.text]);
        for (const name of ["cache-control", "etag", "vary", "surrogate-key"]) {
          expect(got.headers.get(name)).toBe(want.headers.get(name));
        }
      }
    }
  });
});

describe("a preview whose drafts cannot be read is unavailable, and the next one reads them again", () => {
  const FAILING = ["versions", "revisions", "drafts", "releases"] as const;

  test.each(FAILING)("%s", async (failing) => {
    let failures = 2;
    /** Fails the first reads of one kind. */
    const first = <T>(what: (typeof FAILING)[number], run: () => Promise<T>): Promise<T> => {
      if (what !== failing || failures === 0) return run();
      failures -= 1;
      return Promise.reject(databaseUnavailable(new Error("gone")));
    };
    const { store } = marquee;
    const { releaseItems } = store;
    const failingStore = override(store, {
      releaseItems: override(releaseItems, {
        listRevisions: (...it) => first("revisions", () => releaseItems.listRevisions(...it)),
        list: (...it) => first("drafts", () => releaseItems.list(...it)),
        listVersions: (...it) => first("versions", () => releaseItems.listVersions(...it)),
      }),
      in(organizationId) {
        const organization = store.in(organizationId);
        const { documents } = organization;
        const { release } = documents;
        const getMany = (ids: readonly string[]) => first("releases", () => release.getMany(ids));
        return override(organization, {
          documents: override(documents, {
            release: override(release, { getMany }),
          }),
        });
      },
    });
    const server = await startOver(failingStore, { limits: { cacheMib: 8 }, runsActions: false });
    onTestFinished(() => server.close(1_000));
    const path = getUrl(`${EVENTS}/GetEvent`, { id: "match-2026-1" });
    const get = (headers: Headers) =>
      send("GET", `${server.deliveryUrl}/${path}`, { token: preview, headers });
    const current = await get({});
    for (let time = 0; time < 2; time += 1) {
      expect(rejection(await get(through("base")))).toEqual([503, "DATABASE_UNAVAILABLE"]);
    }
    expect(failures).toBe(0);
    for (let time = 0; time < 2; time += 1) {
      expect((await get(through("base"))).json.event.title.en).toBe("Changed");
    }
    expect((await get({})).text).toBe(current.text);
  });
});

describe("protocols", () => {
  test.each(TRANSPORTS.filter(({ name }) => name.endsWith("plain")))("$name", async (transport) => {
    const client = createClient(EventService, transport.create(marquee.url, preview));
    const { event } = await client.getEvent({ id: "new" }, { headers: through("base") });
    expect(event?.id).toBe("new");
    await expect(client.getEvent({ id: "new" })).rejects.toThrow(/does not exist/);
  });

  test("browsers may send the headers", async () => {
    const got = await send("OPTIONS", `${marquee.url}/${EVENTS}/GetEvent`, {
      headers: { origin: "https://example.com", "access-control-request-method": "GET" },
    });
    const allowed = got.headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
    expect(allowed).toEqual(
      expect.arrayContaining(Object.keys({ ...through(), ...PUBLIC, ...at(0) })),
    );
  });
});
