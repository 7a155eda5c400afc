import { describe, expect, test } from "vitest";
import { type HttpResponse, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const { owner: token } = marquee.tokens;

const call = async (method: string, path: string, body: object) => {
  const got = await send(method, `${marquee.url}/${path}`, { token, body: JSON.stringify(body) });
  expect(got.status, got.text).toBe(200);
  return got;
};

/** Lists the paths and the ids of the references that a response calls missing. */
function listMissing({ headers }: HttpResponse): readonly string[] {
  const warnings: { code: string; fields: string[]; message: string }[] = JSON.parse(
    headers.get("marquee-warnings") ?? "[]",
  );
  return warnings
    .filter(({ code }) => code === "REFERENCE_MISSING")
    .map(({ fields, message }) => `${fields.join()} ${/'(.*?)'/.exec(message)?.[1]}`);
}

const project_id = "worldcup";
const EVENT = { content_type: "match", title: { en: "Final" } };
const create = (id: string, event: object, query = "") =>
  call("POST", `cms/events/v1?event_id=${id}${query}`, { project_id, ...EVENT, ...event });
const update = (id: string, event: object, update_mask: string, query = "") =>
  call("PATCH", `cms/events/v1/${id}${query}`, { event, update_mask });

await call("POST", "cms/entities/v1?entity_id=rw-team", { project_id, content_type: "team" });
await call("POST", "cms/entities/v1?entity_id=rw-foreign", {
  ...{ project_id: "sandbox", content_type: "team" },
});

describe("a reference to a resource that the project lacks is a warning", () => {
  test("when it is added, not when it is kept", async () => {
    const created = await create("rw-a", { entity_ids: ["rw-team", "rw-none", "rw-foreign"] });
    expect(listMissing(created)).toEqual([
      "event.entity_ids[1] rw-none",
      "event.entity_ids[2] rw-foreign",
    ]);
    const kept = { entity_ids: ["rw-none", "rw-team"], video_ids: ["rw-video"] };
    const updated = await update("rw-a", kept, "entity_ids,video_ids");
    expect(listMissing(updated)).toEqual(["event.video_ids[0] rw-video"]);
    expect(listMissing(await update("rw-a", { title: { en: "x" } }, "title"))).toEqual([]);
  });

  test("in a dry run", async () => {
    const body = { event: { entity_ids: ["rw-dry"] }, update_mask: "entity_ids" };
    const dry = await call("PATCH", "cms/events/v1/rw-a", { ...body, validate_only: true });
    expect(listMissing(dry)).toEqual(["event.entity_ids[0] rw-dry"]);
  });

  test("in a ruleset, an offer and a component", async () => {
    const ruleset = { project_id, name: "R", target: { video_ids: ["rw-v"] } };
    const about = await call(
      "POST",
      "streaming/video_protection/v2/rulesets?ruleset_id=rw-r",
      ruleset,
    );
    expect(listMissing(about)).toEqual(["video_protection_ruleset.target.video_ids[0] rw-v"]);
    const offer = { project_id, name: "O", opens: { event_ids: ["rw-e"] } };
    const opened = await call("POST", "monetization/offers/v1?offer_id=rw-o", offer);
    expect(listMissing(opened)).toEqual(["offer.opens.event_ids[0] rw-e"]);
    const place = (type: string, data: object) =>
      call("POST", "ott/page_components/v2?page_id=page-help", {
        ...{ project_id, type, [type]: data },
      });
    const cards = [{ offer_id: "rw-o" }, { offer_id: "rw-gone" }, { offer_id: "{id}" }];
    expect(listMissing(await place("offers", { offer: cards }))).toEqual([
      "page_component.offers.offer rw-gone",
    ]);
    expect(listMissing(await place("event_player", { id: "rw-gone" }))).toEqual([
      "page_component.event_player.id rw-gone",
    ]);
  });

  test("in a release, which shows its own drafts", async () => {
    await call("POST", "cms/releases/v1?release_id=rw", { project_id, name: "R" });
    const query = "&release_id=rw";
    await call("POST", `cms/entities/v1?entity_id=rw-drafted${query}`, {
      ...{ project_id, content_type: "team" },
    });
    const drafted = await create("rw-b", { entity_ids: ["rw-drafted", "rw-none"] }, query);
    expect(listMissing(drafted)).toEqual(["event.entity_ids[1] rw-none"]);
    const current = await create("rw-c", { entity_ids: ["rw-drafted"] });
    expect(listMissing(current)).toEqual(["event.entity_ids[0] rw-drafted"]);
  });

  test.each(["WRITE_MODE_TOGETHER", "WRITE_MODE_EACH"])(
    "in records, %s: those of the call exist",
    async (mode) => {
      const [team, match] = [`rw-t-${mode}`, `rw-m-${mode}`].map((it) => it.toLowerCase());
      const entity_ids = [team, "rw-none"];
      const got = await call("POST", "cms/records/v1:write", {
        ...{ project_id, mode },
        records: [
          { event: { id: match, ...EVENT, entity_ids } },
          { entity: { id: team, content_type: "team" } },
        ],
      });
      expect(listMissing(got)).toEqual(["records[0].event.entity_ids[1] rw-none"]);
    },
  );

  test("at most 20 times", async () => {
    const entity_ids = Array.from({ length: 30 }, (_, index) => `n${index}`);
    expect(listMissing(await create("rw-d", { entity_ids })).length).toBeLessThanOrEqual(20);
  });
});
