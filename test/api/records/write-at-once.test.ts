import { expect, test } from "vitest";
import { ok } from "../iam/iam.ts";
import { useRecords } from "./records.ts";

const { call, write, get, idOf } = await useRecords();
const event = (id: string, fields: object = {}) => ({ event: { id, ...fields } });

test("a feed of scores and an editor of titles never conflict", async () => {
  const id = idOf("busy");
  await write([event(id, { title: { en: "0" }, fields: { score: 0, stage: "final" } })]);
  const turns = Array.from({ length: 25 }, (_, turn) => turn + 1);
  const feed = async () => {
    for (const score of turns) {
      const record = { ...event(id, { fields: { score } }), fields_mask: "fields.score" };
      const { results } = ok(await write([record, event(idOf("beside"))]));
      expect(results.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
        ...["RECORD_OUTCOME_UPDATED", "RECORD_OUTCOME_CREATED"],
      ]);
    }
  };
  const editor = async () => {
    for (const turn of turns) {
      const body = { event: { title: { en: `${turn}` } }, update_mask: "title" };
      ok(await call("PATCH", `cms/events/v1/${id}`, body));
    }
  };
  await Promise.all([feed(), editor()]);
  const { event: after } = await get(`cms/events/v1/${id}`);
  expect([after.title, after.fields]).toEqual([{ en: "25" }, { score: 25, stage: "final" }]);
});
