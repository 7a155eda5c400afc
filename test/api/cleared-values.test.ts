import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../harness/http.ts";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const { owner: token } = marquee.tokens;

const call = async (method: string, path: string, body: object) => {
  const got = await send(method, `${marquee.url}/${path}`, { token, body: JSON.stringify(body) });
  expect([got.status, got.json]).toMatchObject([200, {}]);
  return got;
};
const warningsOf = ({ headers }: HttpResponse) =>
  JSON.parse(headers.get("marquee-warnings") ?? "[]");

const EVENT = {
  ...{ content_type: "match", title: { en: "Final", de: "Finale" } },
  fields: { score: 1, place: { city: "Rome", seats: 2 } },
};
const create = (id: string) =>
  call("POST", `cms/events/v1?event_id=${id}`, { project_id: "worldcup", ...EVENT });
const update = (id: string, event: object, mask: string, query = "") =>
  call("PATCH", `cms/events/v1/${id}${query}`, { event, update_mask: mask });

describe("an update that replaces a value as a whole warns of all that it clears", () => {
  test("in maps and free JSON, and not of a field that it clears itself", async () => {
    await create("cv-a");
    const translated = await update("cv-a", { title: { fr: "Finale" } }, "title");
    expect(warningsOf(translated)).toEqual([
      {
        code: "VALUES_CLEARED",
        fields: ["title.en", "title.de"],
        message: expect.stringMatching(/^cleared title\.en, title\.de: /),
      },
    ]);
    const scored = await update("cv-a", { fields: { score: 2, place: { seats: 3 } } }, "fields");
    expect(warningsOf(scored)).toMatchObject([{ fields: ["fields.place.city"] }]);
    expect(warningsOf(await update("cv-a", {}, "title,fields"))).toEqual([]);
  });

  test("in a component", async () => {
    const { rail_id: id } = marquee.samples;
    const path = `ott/page_components/v2/${id}`;
    const rail = { title: { en: "Only a title" } };
    const got = await call("PATCH", path, { page_component_update: { rail }, update_mask: "rail" });
    const [{ code, fields }] = warningsOf(got);
    expect([code, fields]).toEqual([
      "VALUES_CLEARED",
      expect.arrayContaining(["rail.filter", "rail.order", "rail.limit"]),
    ]);
  });

  test("in a dry run", async () => {
    await create("cv-b");
    const event = { title: { en: "x" } };
    const body = { event, update_mask: "title", validate_only: true };
    const dry = await call("PATCH", "cms/events/v1/cv-b", body);
    expect(warningsOf(dry)).toMatchObject([{ fields: ["title.de"] }]);
  });

  test("in a release, of what the release has", async () => {
    await create("cv-c");
    await call("POST", "cms/releases/v1?release_id=cv", { project_id: "worldcup", name: "R" });
    const query = "?release_id=cv";
    const first = await update("cv-c", { title: { en: "a" } }, "title", query);
    expect(warningsOf(first)).toMatchObject([{ fields: ["title.de"] }]);
    expect(warningsOf(await update("cv-c", { title: { en: "b" } }, "title", query))).toEqual([]);
    expect(warningsOf(await update("cv-c", { title: { en: "b" } }, "title"))).toMatchObject([
      { fields: ["title.de"] },
    ]);
  });

  test.each(["WRITE_MODE_TOGETHER", "WRITE_MODE_EACH"])(
    "in records with a mask, %s: of those that are written",
    async (mode) => {
      const ids = ["d", "e", "f"].map((it) => `cv-${it}-${mode.at(-1)?.toLowerCase()}`);
      for (const id of ids) await create(id);
      const record = (id: string, event: object, fields_mask?: string) => ({
        ...{ event: { id, ...event }, ...(fields_mask && { fields_mask }) },
      });
      const [one = "", two = "", three = ""] = ids;
      const records = [
        record(one, { title: { en: "x" } }, "title"),
        // Paths below free JSON name what they change.
        record(two, { fields: { score: 5 } }, "fields.score"),
        record(three, { content_type: "match", title: { en: "whole" } }),
        ...(mode === "WRITE_MODE_EACH" ? [record("cv-none", { title: { en: "x" } }, "title")] : []),
      ];
      const got = await call("POST", "cms/records/v1:write", {
        ...{ project_id: "worldcup", mode, records },
      });
      expect(warningsOf(got)).toMatchObject([{ fields: ["records[0].event.title.de"] }]);
    },
  );
});
