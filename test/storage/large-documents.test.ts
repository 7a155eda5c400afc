import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageSchema } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WORK_LIMITS } from "../../src/domain/base/work-budget.ts";
import { isDelivered, KIND_NAMES } from "../../src/domain/kinds.ts";
import { parseKql } from "../../src/domain/kql/index.ts";
import type { DocumentQuery } from "../../src/storage/contract/document-store.ts";
import { createListBudget } from "../../src/storage/sql/base/list-budget.ts";
import { ENGINE, openFresh } from "../harness/fresh-store.ts";
import { useUnlimitedTime } from "../harness/unlimited-time.ts";
import { DOCUMENT_SAMPLES, documentsOf, EMPTY } from "./contract/document-samples.ts";
import { ALPHA, createComponent, IN_ALPHA } from "./small-dataset.ts";
import { watchResults } from "./statements/watched-results.ts";

// The number of documents is limited where they are read; so are their bytes, however few they are.

/** Documents of each kind, with texts of this many characters. */
const NUMBERS = Array.from({ length: 11 }, (_, number) => number);
const TEXT = "x".repeat(400 * 1024);

/** The most bytes that a statement reads: about 2 MiB of content, 1 MiB of other documents. */
const MOST_BYTES = 2.5 * 1024 * 1024;

const EVERYTHING = { visibilities: [Visibility.PUBLISHED, Visibility.UNSPECIFIED], at: undefined };
const COMPONENTS = NUMBERS.map((number) => `component-${number}`);

/** The most bytes of components that the history keeps of a page that is deleted. */
const MOST_KEPT = 16 * 1024 * 1024;

const results = watchResults();
const { store, close } = await openFresh({
  ...EMPTY,
  pages: [
    createPage(
      "page",
      COMPONENTS.map((id) => createText(id, TEXT)),
    ),
    createPage("kept", createTexts("kept", MOST_KEPT)),
    createPage("not-kept", createTexts("not-kept", MOST_KEPT + 1)),
  ],
});
afterAll(close);

/** A binding has ids alone, which are short. */
const SAMPLES = DOCUMENT_SAMPLES.filter(({ kind }) => kind !== "binding");

function createPage(id: string, components: readonly PageComponent[]) {
  return { page: create(PageSchema, { id, projectId: ALPHA, slug: id }), components };
}

function createText(id: string, html: string): PageComponent {
  return createComponent(id, { data: { case: "text", value: { html } } });
}

/** Creates components with a number of bytes in total. */
function createTexts(page: string, bytes: number): readonly PageComponent[] {
  const text = "x".repeat(1024 * 1000);
  const first = Array.from({ length: 16 }, (_, index) => createText(`${page}-${index}`, text));
  const rest = first.reduce((left, it) => left - sizeOf(it), bytes);
  const last = (length: number) => createText(`${page}-last`, "x".repeat(length));
  return [...first, last(2 * rest - sizeOf(last(rest)))];
}

function sizeOf(component: PageComponent): number {
  return toBinary(PageComponentSchema, component).length;
}

const idsOf = (kind: string) => NUMBERS.map((number) => `${kind}-${number}`);

useUnlimitedTime();
beforeAll(async () => {
  for (const sample of SAMPLES) {
    const { kind, label, parents, make, extras } = sample;
    for (const id of idsOf(kind)) {
      // The slug of a page is short.
      const text = kind === "page" ? { title: { en: TEXT } } : { [label.local]: `${id} ${TEXT}` };
      const shown = kind === "annotation" && { videoId: "video" };
      const document = make(id, parents[0], { ...text, ...shown });
      await documentsOf(store, sample).create(document, ...extras(id));
    }
  }
}, 120_000);

/** Runs a read, and holds the most bytes that one of its statements returns. */
async function read<T>(run: () => Promise<T>): Promise<T> {
  results.begin();
  const value = await run();
  const { bytes, statement } = results.largest;
  expect(bytes, statement).toBeLessThan(MOST_BYTES);
  return value;
}

const QUERY: Omit<DocumentQuery, "parentIds"> = {
  ...{ order: { field: "id", direction: "asc" }, limit: 1_000, now: new Date() },
};

test.for(SAMPLES.map((sample) => [sample.kind, sample] as const))(
  "the Studio API reads large documents in parts: %s",
  async ([kind, sample]) => {
    const documents = documentsOf(store, sample);
    const parentIds = kind === "organization" ? idsOf(kind) : [sample.parents[0]];
    const { values } = await read(() => documents.list({ ...QUERY, parentIds }));
    expect(values.length).toBeGreaterThan(1);
    const filter = parseKql("not id: none");
    await read(() => documents.list({ ...QUERY, parentIds, filter }));
    expect(await read(() => documents.getMany(idsOf(kind)))).toHaveLength(NUMBERS.length);
  },
);

// Both engines read by the same plan. A result of PostgreSQL counts for its pool as well.
test.runIf(ENGINE === "sqlite")(
  "a page of content reads no more than it may have, and one statement more",
  async () => {
    const sample = SAMPLES.find(({ kind }) => kind === "event") as (typeof SAMPLES)[number];
    const [projectId = ""] = sample.parents;
    for (let number = 0; number < 20; number += 1) {
      const event = sample.make(`more-${number}`, projectId, { [sample.label.local]: TEXT });
      await documentsOf(store, sample).create(event, ...sample.extras(`more-${number}`));
    }
    await read(() => documentsOf(store, sample).list({ ...QUERY, parentIds: [projectId] }));
    expect(results.bytes).toBeGreaterThan(WORK_LIMITS.bytes / 2);
    expect(results.bytes).toBeLessThan(WORK_LIMITS.bytes + MOST_BYTES);
  },
);

test("the Studio API reads large transactions in parts, of many projects", async () => {
  const nowhere = Array.from({ length: 70_000 }, (_, number) => `nowhere-${number}`);
  const query = { projectIds: [...nowhere, ALPHA], billingTransactionIds: [], limit: 1_000 };
  const page = await read(() => store.transactions.list({ ...query, withSummary: true }));
  expect(page.values.length).toBeGreaterThan(1);
  expect(page.next?.id).toBe(page.values.at(-1)?.id);
  expect(page.summary?.totalCount).toBe(NUMBERS.length);
});

test("the Studio API reads large page components in parts", async () => {
  const { pageComponents } = store.in(IN_ALPHA.organizationId);
  const { values } = await read(() => pageComponents.list({ ...QUERY, parentIds: ["page"] }));
  expect(values.length).toBeGreaterThan(1);
  expect(await read(() => pageComponents.getMany(COMPONENTS))).toHaveLength(NUMBERS.length);
});

test.for(KIND_NAMES.filter(isDelivered))(
  "the Delivery API reads large documents in parts: %s",
  async (kind) => {
    const scope = { projectId: ALPHA, ...EVERYTHING };
    const { values } = await read(() =>
      store.visibleDocuments.list(kind, { ...scope, limit: 100 }),
    );
    expect(values.length).toBeGreaterThan(1);
    const ids = idsOf(kind).toReversed();
    const found = await read(() => store.visibleDocuments.getMany(kind, { ...scope, ids }));
    // The eleventh does not fit into 4 MiB.
    expect(found.map(({ id }) => id)).toEqual(ids.slice(0, 10));
  },
);

test("the Delivery API reads large page components in parts", async () => {
  const scope = { projectId: ALPHA, ...EVERYTHING, componentVisibilities: EVERYTHING.visibilities };
  const budget = createListBudget();
  const { components } = await read(() => store.pages.get({ ...scope, slug: "page" }, budget));
  expect(budget.spent).toBeGreaterThan(0);
  expect(components).toHaveLength(NUMBERS.length);
  const ids = COMPONENTS.toReversed();
  const found = await read(() => store.pages.getComponents({ ...scope, ids }));
  // The eleventh does not fit into 4 MiB.
  expect(found.map(({ id }) => id)).toEqual(ids.slice(0, 10));
});

test("the Delivery API reads large annotations in parts", async () => {
  const query = { projectId: ALPHA, videoId: "video", limit: 100, ...EVERYTHING };
  const { annotations } = await read(() => store.annotations.list(query));
  expect(annotations.length).toBeGreaterThan(1);
});

test("an export reads large documents in parts", async () => {
  const kinds = new Set<string | undefined>();
  await read(() =>
    store.exportRecords(ALPHA, async (records) => {
      for (const { resource } of records) kinds.add(resource.case);
    }),
  );
  expect(kinds).toContain("pageComponent");
  expect(kinds).toContain("offer");
});

test.each([
  ["page", NUMBERS.length],
  ["kept", 17],
  ["not-kept", undefined],
])("the deletion of a page keeps up to 16 MiB of components, in parts: %s", async (id, count) => {
  const { documents } = store.in(IN_ALPHA.organizationId);
  const { dependents } = await read(() => documents.page.delete(id, () => {}));
  expect(dependents?.length).toBe(count);
});
