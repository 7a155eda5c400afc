import { afterAll, expect, test } from "vitest";
import { isUndoable, KIND_NAMES } from "../../../src/domain/kinds.ts";
import { startMarquee } from "../../harness/marquee.ts";
import { exportText } from "../../transfer/transfer.ts";
import { listResources, type Resource } from "../resources.ts";
import { callRest } from "../studio.ts";

const marquee = await startMarquee();
afterAll(() => marquee.close());

const call = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await callRest(marquee, method, path, body);
  if (status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
  return json;
};
const exportLines = async () => (await exportText(marquee.store, "worldcup")).split("\n").sort();

/** Returns the kind of a resource by its noun, such as `page_component` for `PageComponent`. */
const kindOfNoun = (noun: string) => noun.replace(/(?<=.)[A-Z]/g, "_$&").toLowerCase();

const resources = listResources(marquee)
  .filter(([name, { noun }]) => name.endsWith("REST") && isUndoable(kindOfNoun(noun)))
  .map(([, resource]) => resource);

test("every kind that can be taken back is walked", () => {
  const kinds = resources.map(({ noun }) => kindOfNoun(noun)).sort();
  expect(kinds).toEqual(KIND_NAMES.filter(isUndoable).sort());
});

test("writes of every kind that are taken back leave the export as it was", async () => {
  const before = await exportLines();
  const made: (readonly [Resource, id: string])[] = [];
  for (const resource of resources) made.push([resource, (await resource.create()).id]);
  const keys = made.map(([{ noun }, id]) => `${kindOfNoun(noun)}:${id}`);
  const created = await exportLines();
  expect(created).toHaveLength(before.length + made.length);
  for (const [resource, id] of made) await resource.update(id);
  const updated = await exportLines();
  expect(updated.filter((line) => !created.includes(line))).toHaveLength(made.length);

  for (const key of keys) await undo(key);
  expect(await exportLines()).toEqual(created);
  for (const key of keys) await undo(key);
  expect(await exportLines()).toEqual(updated);
  for (const [resource, id] of made) await resource.delete(id);
  expect(await exportLines()).toEqual(before);
  for (const key of keys.toReversed()) await undo(key);
  expect(await exportLines()).toEqual(updated);
  for (const resource of resources) {
    const { id } = await resource.create();
    await undo(`${kindOfNoun(resource.noun)}:${id}`);
  }
  expect(await exportLines()).toEqual(updated);
});

/** Takes the newest change of a resource back. */
async function undo(key: string): Promise<void> {
  const query = new URLSearchParams({ project_id: "worldcup", filter: `resource: "${key}"` });
  const { changes } = await call("GET", `cms/changes/v1?${query}`);
  await call("POST", `cms/changes/v1/${changes[0].id}:revert`, {});
}
