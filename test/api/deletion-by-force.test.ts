import { describe, expect, test } from "vitest";
import { metadataOf, rejection } from "../harness/http.ts";
import { ok, useIam } from "./iam/iam.ts";
import type { JsonMessage } from "./methods.ts";
import { PRICE } from "./monetization/monetization.ts";

const { call } = await useIam();

/** What is made: the path of its kind, the name of its id in requests, and its fields. */
type Made = readonly [
  path: string,
  kind: string,
  fields: JsonMessage,
  query?: Record<string, string>,
];

const inProject = { project_id: "worldcup" };
const inOrganization = { organization_id: "org-worldcup", name: "N" };
const ID = "held";
const COMPONENTS = "/ott/page_components/v2";
const PLAYLIST = { name: "V", playlist_url: "https://v.example/a/a.m3u8" };

const component = (type: string, member: JsonMessage, page_id = "page-help"): Made => [
  ...([COMPONENTS, "page_component", { ...inProject, type, [type]: member }, { page_id }] as const),
];
const event = (fields: JsonMessage): Made => [
  ...(["/cms/events/v1", "event", { ...inProject, ...fields }] as const),
];
const work = (fields: JsonMessage): Made => [
  ...(["/cms/creative_works/v1", "creative_work", { ...inProject, ...fields }] as const),
];
const annotation = (fields: JsonMessage): Made => [
  ...(["/annotations/annotations/v1", "annotation", { ...inProject, ...fields }] as const),
];
const ofOffer = (kind: string): Made => [
  ...([`/monetization/${kind}s/v1`, kind, { ...inProject, user_id: "u", offer_id: ID }] as const),
];

const binding = (fields: JsonMessage): Made => [
  "/iam/bindings/v1",
  "binding",
  { organization_id: "org-worldcup", resource_key: "worldcup/worldcup/project", ...fields },
];

/** What is deleted, and what refers to it. */
const ROWS: readonly (readonly [target: Made, referrers: readonly Made[]])[] = [
  [event({}), [component("event_player", { id: ID })]],
  [work({}), [component("creative_work_player", { id: ID })]],
  [
    ["/cms/entities/v1", "entity", inProject],
    [
      component("player_profile", { id: ID }),
      event({ entity_ids: [ID] }),
      work({ entity_ids: [ID] }),
    ],
  ],
  [
    ["/streaming/videos/v1", "video", { ...inProject, ...PLAYLIST }],
    [annotation({ video_id: ID }), event({ video_ids: [ID] }), work({ video_ids: [ID] })],
  ],
  [
    ["/ott/banner_collections/v2", "banner_collection", { ...inProject, name: "B" }],
    [component("banner_collection", { id: ID }), component("banner_collection_v2", { id: ID })],
  ],
  [
    ["/ott/pages/v1", "page", { ...inProject, slug: ID }],
    [component("text", {}, ID), component("html", {}, ID)],
  ],
  [
    ["/monetization/offers/v1", "offer", { ...inProject, name: "O", prices: [PRICE] }],
    [ofOffer("entitlement"), ofOffer("transaction")],
  ],
  [
    ["/annotations/types/v1", "annotation_type", { ...inProject, name: "T" }],
    [annotation({ type_id: ID })],
  ],
  [
    ["/iam/accounts/v1", "account", inOrganization],
    [
      ["/iam/access_tokens/v1", "access_token", { account_id: ID }],
      binding({ account_id: ID, role_id: "viewer" }),
    ],
  ],
  [
    ["/iam/roles/v1", "role", { ...inOrganization, permissions: ["cms.events.get"] }],
    [binding({ account_id: "account-viewer", role_id: ID })],
  ],
  [
    ["/iam/projects/v1", "project", inOrganization],
    [["/iam/project_keys/v1", "project_key", { project_id: ID, kind: "PROJECT_KEY_KIND_PUBLIC" }]],
  ],
];

async function make([path, kind, body, query]: Made, id: string): Promise<string> {
  ok(await call(`POST ${path}`, { body, query: { ...query, [`${kind}_id`]: id } }));
  return `${kind}/${id}`;
}

describe("what others refer to is deleted only by force", () => {
  test.each(ROWS)("%j by %j", async (target, referrers) => {
    const [folder, kind] = target;
    const path = `${folder}/${ID}`;
    await make(target, ID);
    const keys: string[] = [];
    for (const [index, it] of referrers.entries()) keys.push(await make(it, `of-${kind}-${index}`));
    for (const validate_only of [true, false]) {
      const rejected = await call(`DELETE ${path}`, { query: { validate_only } });
      expect(rejection(rejected)).toEqual([400, "STILL_REFERRED_TO"]);
      expect(metadataOf(rejected)?.referrers?.split(",").sort()).toEqual(keys.sort());
    }
    ok(await call(`DELETE ${path}`, { query: { force: true, validate_only: true } }));
    ok(await call(`GET ${path}`));
    ok(await call(`DELETE ${path}`, { query: { force: true } }));
    expect((await call(`GET ${path}`)).status).toBe(404);
  });

  test("but not what content of another project names, which are not reported", async () => {
    await make(["/cms/entities/v1", "entity", inProject], "named-elsewhere");
    const foreign = { project_id: "sandbox", entity_ids: ["named-elsewhere"] };
    await make(["/cms/events/v1", "event", foreign], "elsewhere");
    expect(ok(await call("DELETE /cms/entities/v1/named-elsewhere"))).toEqual({});
  });

  test("also what an event names no more", async () => {
    await make(["/cms/entities/v1", "entity", inProject], "named-once");
    await make(event({ entity_ids: ["named-once"] }), "naming");
    const body = { event: {}, update_mask: "entity_ids" };
    ok(await call("PATCH /cms/events/v1/naming", { body }));
    ok(await call("DELETE /cms/entities/v1/named-once"));
  });

  test("and a project keeps everything if its deletion is rejected, or is a dry run", async () => {
    const project = "/iam/projects/v1/kept";
    await make(["/iam/projects/v1", "project", inOrganization], "kept");
    await make(["/cms/events/v1", "event", { project_id: "kept" }], "kept-event");
    const stale = { query: { force: true }, headers: { "if-match": '"stale"' } };
    expect((await call(`DELETE ${project}`, stale)).status).toBe(409);
    ok(await call(`DELETE ${project}`, { query: { force: true, validate_only: true } }));
    ok(await call("GET /cms/events/v1/kept-event"));
    const etag = (await call(`GET ${project}`)).headers.get("etag") ?? "";
    ok(await call(`DELETE ${project}`, { query: { force: true }, headers: { "if-match": etag } }));
    expect((await call("GET /cms/events/v1/kept-event")).status).toBe(404);
  });
});
