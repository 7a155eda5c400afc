import { expect, test } from "vitest";
import { expectWithin, MACHINE, watchTurns } from "../../harness/turns.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callRest } from "../studio.ts";

const marquee = await useMarquee();

async function call(method: string, path: string, body: object) {
  const got = await callRest(marquee, method, `annotations/${path}`, body);
  expect(got.status, got.text).toBe(200);
  return got.json;
}

test("the runs of 100 actions with a large annotation are made in short turns", async () => {
  const inProject = { project_id: "worldcup" };
  const ids = Array.from({ length: 100 }, (_, number) => `many-${number}`);
  for (const id of ids) {
    const webhook = { url: `https://a.example/${id}` };
    await call("POST", `actions/v1?action_id=${id}`, { ...inProject, name: id, webhook });
  }
  await call("POST", "types/v1?annotation_type_id=many", { ...inProject, name: "Many" });
  const configuration = Object.fromEntries(ids.map((id) => [id, {}]));
  await call("PATCH", "types/v1/many/action_configuration", { configuration });
  const overrides = Object.fromEntries(
    Array.from({ length: 2_400 }, (_, number) => [`value-${number}`, { number }]),
  );
  const annotation = { ...inProject, type_id: "many", action_overrides: overrides };
  const { longest } = await watchTurns(async () => {
    expect((await call("POST", "annotations/v1", annotation)).action_runs).toHaveLength(ids.length);
  });
  // In one turn, the payloads take 100 ms on a machine of 2025.
  expectWithin(longest, 15 * MACHINE);
});
