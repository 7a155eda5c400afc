import { fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  ChangedResourceSchema,
  ChangeSchema,
} from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { WORK_LIMITS } from "../../../src/domain/base/work-budget.ts";
import { expectWithin, LONGEST_TURN, watchTurns } from "../../harness/turns.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callRest } from "../studio.ts";
import { flat } from "../widest-messages.ts";

// Times of the same length make sizes predictable.
const now = new Date();
const marquee = await useMarquee({ clock: () => now });

const call = async (method: string, path: string, body?: unknown) => {
  const { status, json, text } = await callRest(marquee, method, path, body);
  expect(status, text.slice(0, 500)).toBe(200);
  return json;
};

/** The resources of a change beside the last one. */
const OTHERS = 4;

/** Changes texts of page components in one call: the last one has a length of its own. Returns the change with values. */
async function change(name: string, length: number, lastLength: number) {
  const ids = Array.from({ length: OTHERS + 1 }, (_, index) => `${name}-${index}`);
  const write = (letter: string, last: number) =>
    call("POST", "cms/records/v1:write", {
      project_id: "worldcup",
      records: ids.map((id, index) => ({
        page_component: {
          page_id: marquee.samples.page_id,
          page_component: {
            ...{ id, type: "html" },
            html: { html: letter.repeat(index === OTHERS ? last : length) },
          },
        },
      })),
    });
  await write("a", 0);
  await write("b", lastLength);
  const filter = encodeURIComponent(`resource: "page_component:${name}-0"`);
  const { changes } = await call("GET", `cms/changes/v1?project_id=worldcup&filter=${filter}`);
  return (await call("GET", `cms/changes/v1/${changes[0].id}`)).change;
}

function sizeOf(change: JsonValue): number {
  const { resources } = fromJson(ChangeSchema, change);
  return resources.reduce((sum, it) => sum + toBinary(ChangedResourceSchema, it).length, 0);
}

test("GetChange returns the values of resources up to 4 MiB", async () => {
  // The length of each text has as many bytes as that of the longer ones.
  const small = sizeOf(await change("small", 20_000, 20_000));
  const length = 500_000;
  const lastLength = WORK_LIMITS.bytes - small - 2 * OTHERS * (length - 20_000) + 20_000;
  const full = await change("exact", length, lastLength);
  expect(sizeOf(full)).toBe(WORK_LIMITS.bytes);
  expect(full.resources.map((it: { is_hidden: boolean }) => it.is_hidden)).not.toContain(true);
  const { id, resources } = await change("above", length, lastLength + 1);
  const last = { key: `page_component:above-${OTHERS}`, verb: "CHANGE_VERB_UPDATED" };
  expect(resources.at(-1)).toEqual({ ...last, paths: ["html.html"], is_hidden: true });
  expect(resources.slice(0, -1)).toMatchObject(
    Array.from({ length: OTHERS }, () => ({ before: {}, after: {}, is_hidden: false })),
  );
  // It is taken back whole.
  const reverted = await call("POST", `cms/changes/v1/${id}:revert`, { validate_only: true });
  expect(reverted.resources).toHaveLength(OTHERS + 1);
});

test("others wait for one turn of the reads of a large change, regardless of their number", async () => {
  const ids = Array.from({ length: 16 }, (_, it) => `wide-${it}`);
  const write = (some: readonly string[], fields: object) =>
    call("POST", "cms/records/v1:write", {
      project_id: "worldcup",
      records: some.map((id) => ({ event: { id, fields } })),
    });
  for (const id of ids) await write([id], flat(4_800));
  await write(ids, { few: 1 });
  const { changes } = await call("GET", "cms/changes/v1?project_id=worldcup&page_size=1");
  const { longest } = await watchTurns(() =>
    Promise.all(
      Array.from({ length: 8 }, () => callRest(marquee, "GET", `cms/changes/v1/${changes[0].id}`)),
    ),
  );
  expectWithin(longest, LONGEST_TURN);
});
