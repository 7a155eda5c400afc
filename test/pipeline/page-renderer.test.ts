import { create, toJsonString } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
import { PageSchema } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { PageRenderer } from "../../src/api/delivery/page-renderer.ts";
import { ProjectReads } from "../../src/api/reads/project-reads.ts";
import { WorkBudget } from "../../src/domain/base/work-budget.ts";
import { ComponentTemplate } from "../../src/domain/pages/rendering/render-component.ts";
import { createPart, createRail } from "../api/pages/small-pages.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";
import { createDeliveryCall } from "./calls.ts";

const fresh = await openFresh(createSmallDataset({}));
afterAll(() => fresh.close());

const renderer = new PageRenderer({ list: () => Promise.reject(new Error("not asked")) });

/** Renders rails; see {@link renderAll}. */
function render(limit: number, filters: readonly string[]) {
  return renderAll(
    limit,
    filters.map((filter, index) => createRail(`r${index}`, { filter })),
  );
}

/** Renders components, each look at the clock taking a millisecond, and counts the pauses. */
async function renderAll(limit: number, rendered: readonly PageComponent[]) {
  let [now, pauses] = [0, 0];
  const budget = new WorkBudget({
    clock: () => {
      now += 1;
      return now;
    },
    pause: async () => {
      pauses += 1;
    },
    limit,
  });
  const { components } = await renderer.render(
    create(PageSchema, { id: "p", projectId: ALPHA, parameters: ["id"] }),
    rendered.map((it) => new ComponentTemplate(it)),
    { parameters: { id: "x" }, session: {} },
    createDeliveryCall(new ProjectReads(fresh.store, fresh.store), budget),
  );
  const shown = components.filter(({ kind }) => kind === "shown").length;
  const dropped = components.flatMap((it) => (it.kind === "dropped" ? [it] : []));
  return { shown, dropped, pauses, spent: budget.spent };
}

const FILTERS = Array.from({ length: 20 }, () => "f: {id}");

test("rendering is work of the request, with pauses", async () => {
  const { shown, dropped, pauses, spent } = await render(1_000, FILTERS);
  expect([shown, dropped]).toEqual([20, []]);
  expect(spent).toBeGreaterThanOrEqual(20);
  expect(pauses).toBeGreaterThan(0);
});

test("components for which the time is not enough are dropped", async () => {
  const { shown, dropped } = await render(10, FILTERS);
  expect(shown).toBeGreaterThan(1);
  expect(shown).toBeLessThan(20);
  expect(dropped.at(-1)).toEqual({
    ...{ kind: "dropped", componentId: "r19", name: "r19", field: "rail", variable: "" },
    reason: "WORK_LIMIT",
  });
  expect(dropped).toHaveLength(20 - shown);
});

test("the first component is rendered whatever is left of the time", async () => {
  const { shown, dropped } = await render(0, FILTERS.slice(0, 2));
  expect([shown, dropped.map(({ reason }) => reason)]).toEqual([1, ["WORK_LIMIT"]]);
});

const MIB = 1024 * 1024;
const createText = (html: string) =>
  createPart("text", { case: "text", value: { html } }, { groupId: "group" });

/** Creates two texts whose JSON has a number of characters in total. */
function createTexts(characters: number) {
  const sizeOf = (html: string) => toJsonString(PageComponentSchema, createText(html)).length;
  const text = "x".repeat(8 * MIB);
  const overhead = sizeOf("x") - 1;
  return [createText(text), createText("x".repeat(characters - sizeOf(text) - overhead))];
}

test.each([
  ["16 MiB of components leave room for another", createTexts(16 * MIB), 3],
  ["more than 16 MiB do not", createTexts(16 * MIB + 1), 2],
  ["nor does a larger one with a variable", [createText(`{id}${"x".repeat(17 * MIB)}`)], 1],
])("%s", async (_, texts, count) => {
  const { shown, dropped } = await renderAll(10_000, [...texts, createText("last")]);
  expect(shown).toBe(count);
  expect(dropped.map(({ reason }) => reason)).toEqual(count > texts.length ? [] : ["WORK_LIMIT"]);
});
