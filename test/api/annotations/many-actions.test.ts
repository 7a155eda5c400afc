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

const inProject = { project_id: "worldcup" };

/** Creates a type with so many actions that send webhooks. */
async function createType(name: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, number) => `${name}-${number}`);
  for (const id of ids) {
    const webhook = { url: `https://a.example/${id}` };
    await call("POST", `actions/v1?action_id=${id}`, { ...inProject, name: id, webhook });
  }
  await call("POST", `types/v1?annotation_type_id=${name}`, { ...inProject, name });
  const configuration = Object.fromEntries(ids.map((id) => [id, {}]));
  await call("PATCH", `types/v1/${name}/action_configuration`, { configuration });
}

test("the runs of 100 actions with a large annotation are made in short turns", async () => {
  await createType("many", 100);
  const overrides = Object.fromEntries(
    Array.from({ length: 2_400 }, (_, number) => [`value-${number}`, { number }]),
  );
  const annotation = { ...inProject, type_id: "many", action_overrides: overrides };
  const { longest } = await watchTurns(async () => {
    expect((await call("POST", "annotations/v1", annotation)).action_runs).toHaveLength(100);
  });
  // In one turn, the payloads take 100 ms on a machine of 2025.
  expectWithin(longest, 15 * MACHINE);
});

test("the requests of the runs of an annotation have 16 Mi characters together", async () => {
  await createType("large", 11);
  // Six characters each in JSON: a request has 1.8 million.
  const overrides = { text: "\u0001".repeat(300_000) };
  const annotation = { ...inProject, type_id: "large", action_overrides: overrides };
  const { action_runs } = await call("POST", "annotations/v1", annotation);
  expect(action_runs.map((it: { state: string }) => it.state.slice(17))).toEqual([
    ...Array(9).fill("PENDING"),
    ...Array(2).fill("FAILED"),
  ]);
  expect(action_runs.at(-1).reason).toBe("REQUEST_NOT_ACCEPTED");
});
