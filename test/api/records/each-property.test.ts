import { expect, test } from "vitest";
import { createRandom } from "../../../demo/random.ts";
import { metadataOf } from "../../harness/http.ts";
import type { JsonMessage } from "../methods.ts";
import { useRecords } from "./records.ts";

const { write, idOf } = await useRecords();

const EACH = "WRITE_MODE_EACH";
const CASES = 40;

/** Writes records in a dry run; returns the reason of each that is rejected, by its index. */
async function rejectEach(records: readonly object[]): Promise<Record<number, string>> {
  const { json, text } = await write(records, { mode: EACH, validate_only: true });
  expect(json.results, text).toHaveLength(records.length);
  const results = json.results as readonly JsonMessage[];
  return Object.fromEntries(
    results.flatMap(({ error }, index) =>
      error === undefined ? [] : [[index, (error as { reason: string }).reason]],
    ),
  );
}

/** The same by many passes: after each error again, without the record that caused it. */
async function rejectInPasses(records: readonly object[]): Promise<Record<number, string>> {
  const left = [...records.entries()];
  const rejected: Record<number, string> = {};
  while (left.length > 0) {
    const sent = left.map(([, record]) => record);
    const got = await write(sent, { validate_only: true });
    if (got.status === 200) break;
    const { record = "", ...rest } = metadataOf(got) ?? {};
    expect(record, JSON.stringify([got.json, rest])).toMatch(/^[0-9]+$/);
    const [[index]] = left.splice(Number(record), 1) as [[number, object]];
    rejected[index] = got.json.details[0].reason;
  }
  return rejected;
}

test("records that are each written for themselves are rejected as in many passes without the rejected ones", async () => {
  const random = createRandom(4);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const name = idOf("property");
  const id = (kind: string, number: number) => `${name}-${kind}${number}`;
  const page = (n: number) => ({ page: { id: id("p", n), slug: id("s", pick([0, 1, 2, 3, 4])) } });
  const component = (n: number) => {
    const data = pick<object>([
      { type: "text", text: { body: "x" } },
      { type: "text", text: { body: "y" }, group_id: "g" },
      { type: "text", text: { body: "z" }, group_id: "h" },
      { type: "filter", filter: {} },
      { type: "banner_collection", banner_collection: { id: id("b", pick([0, 1, 2])) } },
    ]);
    const own = { id: id("c", n), ...data };
    return { page_component: { page_id: id("p", pick([0, 1, 2, 3, 4, 5])), page_component: own } };
  };
  const banners = (n: number) => ({ banner_collection: { id: id("b", n), name: pick(["B", ""]) } });
  const type = (n: number) => {
    const configuration = pick<object>([{}, { [id("a", 0)]: {} }]);
    const action_configuration = { configuration };
    return {
      annotation_type: { id: id("t", n), name: pick(["T", "T", ""]), action_configuration },
    };
  };
  const annotation = (n: number) => ({
    annotation: { id: id("n", n), type_id: id("t", pick([0, 1, 2])), offset: "1s" },
  });
  const stored = [0, 1, 2].map((n) => ({ page: { id: id("p", n), slug: id("s", n) } }));
  const parts = [0, 1, 2, 3].map((n) => ({
    page_component: {
      page_id: id("p", n % 2),
      page_component: { id: id("c", n), type: "text", text: { body: "x" }, group_id: "g" },
    },
  }));
  expect((await write([...stored, ...parts])).status).toBe(200);
  const seen = new Set<string>();
  for (let round = 0; round < CASES; round += 1) {
    const numbers = (count: number, share: number) =>
      Array.from({ length: count }, (_, n) => n).filter(() => random() < share);
    const records = [
      ...numbers(5, 0.7).map(page),
      ...numbers(3, 0.4).map(banners),
      ...numbers(8, 0.6).map(component),
      ...numbers(3, 0.7).map(type),
      ...numbers(4, 0.7).map(annotation),
    ];
    const want = await rejectInPasses(records);
    expect([round, await rejectEach(records)], JSON.stringify(records)).toEqual([round, want]);
    for (const reason of Object.values(want)) seen.add(reason);
  }
  expect([...seen].sort()).toEqual(
    expect.arrayContaining(["ALREADY_EXISTS", "REFERENCE_NOT_FOUND", "RESOURCE_NOT_FOUND"]),
  );
}, 300_000);
