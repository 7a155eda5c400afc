import { expect } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import type { ImportOptions } from "../../../src/storage/contract/records.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { revisionOf } from "../../harness/revision.ts";
import { exportText, importRepeats, importText, toText } from "../../transfer/transfer.ts";
import { createEndlessBudget } from "../slow-budget.ts";
import { ALPHA, BETA, createSmallDataset, GAMMA, IN_ALPHA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Holds an engine to `RecordImport` and `RecordExport`, as far as everything but content goes. */
export function recordContract(scenario: Scenario): void {
  scenario("records are created, replaced or left alone, by kind and id", SMALL, async (store) => {
    const before = [video("a"), video("b"), offer("a")];
    expect(await run(store, before)).toEqual([
      "created video a",
      "created video b",
      "created offer a",
    ]);
    const after = [video("a"), video("b", { name: "B" }), offer("a"), video("c"), video("c")];
    const want = [
      "unchanged video a",
      "updated video b",
      "unchanged offer a",
      "created video c",
      "unchanged video c",
    ];
    expect(await run(store, after, { isDryRun: true })).toEqual(want);
    expect(await run(store, after)).toEqual(want);
    expect((await documents(store).video.get("b")).value.name).toBe("B");
  });

  scenario("the counts are given in all and by kind", SMALL, async (store) => {
    const summary = await importText(store, toText([video("a"), offer("a"), video("a")]));
    expect(summary).toEqual({
      created: 2,
      updated: 0,
      unchanged: 1,
      byKind: new Map([
        ["video", { created: 1, updated: 0, unchanged: 1 }],
        ["offer", { created: 1, updated: 0, unchanged: 0 }],
      ]),
      projects: [[ALPHA, await revisionOf(store, ALPHA)]],
    });
  });

  scenario("map keys in another order change nothing", SMALL, async (store) => {
    const titled = (title: object) => ({ offer: { ...offer("a").offer, title } });
    await run(store, [titled({ en: "A", de: "B" })]);
    expect(await run(store, [titled({ de: "B", en: "A" })])).toEqual(["unchanged offer a"]);
    expect(await run(store, [titled({ de: "A", en: "B" })])).toEqual(["updated offer a"]);
    const event = (fields: object) => ({ event: { id: "e", project_id: ALPHA, fields } });
    await run(store, [event({ a: 1, b: [{ c: 1, d: 2 }] })]);
    expect(await run(store, [event({ b: [{ d: 2, c: 1 }], a: 1 })])).toEqual(["unchanged event e"]);
    expect(await run(store, [event({ b: [{ d: 1, c: 2 }], a: 1 })])).toEqual(["updated event e"]);
  });

  scenario("each changed project and organization moves by one step", SMALL, async (store) => {
    const before = await revisionOf(store, ALPHA);
    await run(store, [video("a"), video("b"), offer("a")]);
    expect(await revisionOf(store, ALPHA)).toBe(before + 1);
    expect((await documents(store).video.get("b")).revision).toBe(before + 1);
    await run(store, [video("a"), video("b")]);
    await run(store, [video("z")], { isDryRun: true });
    expect(await revisionOf(store, ALPHA)).toBe(before + 1);
  });

  scenario("what belongs to a new project has its first revision", undefined, async (store) => {
    await run(store, [
      { organization: { id: "o", name: "O" } },
      { project: { id: "p", organization_id: "o", name: "P" } },
      { video: { id: "v", project_id: "p", name: "V" } },
      { event: { id: "e", project_id: "p" } },
    ]);
    expect(await revisionOf(store, "p")).toBe(1);
    expect((await store.in("o").documents.video.get("v")).revision).toBe(1);
    expect((await store.in("o").documents.event.get("e")).revision).toBe(1);
  });

  const hold = scenario.share(SMALL);
  for (const [code, errors] of ERRORS) {
    for (const [lines, want] of errors) {
      hold(`an import ends with "${want}", and nothing is written`, async (store) => {
        const before = await exportText(store, ALPHA);
        for (const isDryRun of [true, false]) {
          const importing = importText(store, toText([video("first"), ...lines]), { isDryRun });
          const message = expect.stringContaining(want);
          await expect(importing).rejects.toMatchObject({ code, message });
        }
        expect(await exportText(store, ALPHA)).toBe(before);
      });
    }
  }

  for (const [line, want] of NOT_OF_PROJECT) {
    hold(`with --project, an import ends with "${want}"`, async (store) => {
      for (const isDryRun of [true, false]) {
        const options = { isDryRun, projectId: ALPHA };
        await expect(
          importText(store, toText([video("first"), line]), options),
        ).rejects.toMatchObject({
          code: Code.INVALID_ARGUMENT,
          message: expect.stringContaining(`line 2: ${want}`),
        });
      }
      await expect(documents(store).video.get("first")).rejects.toThrow(/does not exist/);
    });
  }

  scenario("with --project, an export of the project is taken", SMALL, async (store) => {
    const text = await exportText(store, BETA);
    expect(text).toMatch(/^\{"organization"/);
    const { created, updated } = await importText(store, text, { projectId: BETA });
    expect([created, updated]).toEqual([0, 0]);
  });

  scenario("no file makes operators", SMALL, async (store) => {
    await expect(run(store, [binding({ role_id: "operator" })])).rejects.toMatchObject({
      reason: "OPERATOR_FROM_FILE",
      message: expect.stringMatching(/^line 1: binding\.role_id: role 'operator' may create organ/),
    });
    expect(await run(store, [binding({ role_id: "editor" })])).toEqual(["created binding a"]);
  });

  scenario("the components of a page get the order of the file", SMALL, async (store) => {
    await run(store, on("page-1", "a", "b", "c"));
    const all = ["page_component-1", "page_component-2", "page_component-3", "a", "b", "c"];
    expect(await listComponents(store, "page-1")).toEqual(all);
    const revision = await revisionOf(store, ALPHA);
    const swapped = on("page-1", "c", "n", "a");
    const want = [
      "updated page_component c",
      "created page_component n",
      "updated page_component a",
    ];
    expect(await run(store, swapped, { isDryRun: true })).toEqual(want);
    expect(await run(store, swapped)).toEqual(want);
    expect(await listComponents(store, "page-1")).toEqual([...all.slice(0, 3), "c", "n", "b", "a"]);
    expect(await revisionOf(store, ALPHA)).toBe(revision + 1);
    expect(await run(store, [component("b", "page-1")])).toEqual(["unchanged page_component b"]);
    expect(await listComponents(store, "page-1")).toEqual([...all.slice(0, 3), "c", "n", "b", "a"]);
  });

  scenario("a new order alone moves the revision of the project", SMALL, async (store) => {
    const lines = on("page-1", "a", "b");
    await run(store, lines);
    const revision = await revisionOf(store, ALPHA);
    const swapped = lines.toReversed();
    const want = ["updated page_component b", "updated page_component a"];
    expect(await run(store, swapped, { isDryRun: true })).toEqual(want);
    expect(await revisionOf(store, ALPHA)).toBe(revision);
    expect(await run(store, swapped)).toEqual(want);
    expect((await listComponents(store, "page-1")).slice(-2)).toEqual(["b", "a"]);
    expect(await revisionOf(store, ALPHA)).toBe(revision + 1);
  });

  scenario("a component moves to the page that the file says", SMALL, async (store) => {
    await run(store, [page("page-2", "two"), component("x", "page-2"), component("a", "page-1")]);
    const moved = on("page-2", "a", "x");
    expect(await run(store, moved)).toEqual([
      "updated page_component a",
      "unchanged page_component x",
    ]);
    expect(await listComponents(store, "page-2")).toEqual(["a", "x"]);
    expect(await listComponents(store, "page-1")).not.toContain("a");
    await run(store, [...on("page-1", "a"), ...on("page-2", "a"), ...on("page-1", "a")]);
    expect(await listComponents(store, "page-2")).toEqual(["x"]);
    expect((await listComponents(store, "page-1")).at(-1)).toBe("a");
  });

  scenario("a page grows to 100 components, new and moved", SMALL, async (store) => {
    const name = (count: number, prefix = "n") =>
      Array.from({ length: count }, (_, it) => `${prefix}${it}`);
    const full = { code: Code.FAILED_PRECONDITION, reason: "PAGE_COMPONENT_LIMIT" };
    // Three lie on the page already.
    await run(store, [page("page-2", "two"), ...on("page-2", ...name(100)), ...on("page-1", "a")]);
    for (const isDryRun of [true, false]) {
      const reject = async (lines: readonly object[], line: number) => {
        const message = expect.stringContaining(`line ${line}: a page must have at most`);
        const want = { ...full, message, metadata: { limit: "100" } };
        await expect(run(store, lines, { isDryRun })).rejects.toMatchObject(want);
      };
      await reject(on("page-2", "new"), 1);
      await reject([video("v"), ...on("page-2", "n99", "a", "n98")], 3);
      await reject(on("page-1", ...name(97, "m")), 97);
      // What leaves the page makes room, wherever the file says so.
      await run(store, [...on("page-2", "a"), ...on("page-1", "n0")], { isDryRun });
      await run(store, on("page-2", "n99", "n98"), { isDryRun });
    }
    expect(await listComponents(store, "page-2")).toHaveLength(100);
    await run(store, on("page-1", ...name(96, "m")));
    expect(await listComponents(store, "page-1")).toHaveLength(100);
  });

  scenario("what the checks of a resource reject is rejected in a file", SMALL, async (store) => {
    const dots = video("a", { playlist_url: "https://cdn.example/a/.%2E/b/c.m3u8" });
    const q = { page: { id: "p", project_id: ALPHA, slug: "p", parameters: ["id", "q"] } };
    for (const isDryRun of [true, false]) {
      for (const [line, reason, field] of [
        [dots, "PLAYLIST_URL_INVALID", "video.playlist_url"],
        [q, "PARAMETER_INVALID", "page.parameters[1]"],
      ] as const) {
        const message = expect.stringContaining(`line 1: ${field}`);
        await expect(run(store, [line], { isDryRun })).rejects.toMatchObject({ reason, message });
      }
    }
  });

  scenario("a component moved away and back in one file keeps its place", SMALL, async (store) => {
    await run(store, [page("page-2", "two"), ...on("page-2", "x"), ...on("page-1", "a", "b", "c")]);
    const before = await listComponents(store, "page-1");
    expect(before.slice(-3)).toEqual(["a", "b", "c"]);
    const lines = [component("a", "page-2"), component("a", "page-1")];
    const want = ["updated page_component a", "updated page_component a"];
    expect(await run(store, lines, { isDryRun: true })).toEqual(want);
    expect(await run(store, lines)).toEqual(want);
    expect(await listComponents(store, "page-1")).toEqual(before);
    expect(await listComponents(store, "page-2")).toEqual(["x"]);
  });

  scenario("two pages may swap their slugs", SMALL, async (store) => {
    await run(store, [page("page-2", "two")]);
    await run(store, [page("page-1", "two"), page("page-2", "home")]);
    const slugs = await Promise.all(
      ["page-1", "page-2"].map(async (id) => (await documents(store).page.get(id)).value.slug),
    );
    expect(slugs).toEqual(["two", "home"]);
    const found = await store.pages.get({ projectId: ALPHA, slug: "home", ...ALL } as never);
    expect(found.page.id).toBe("page-2");
  });

  scenario("an imported transaction gives what it gives, once", SMALL, async (store) => {
    const bought = (status: string) => transaction("t", "gold", `TRANSACTION_STATUS_${status}`);
    const gold = { ...offer("gold").offer, opens: { video_ids: ["v"] } };
    const list = async () => {
      const now = new Date("2026-06-01T00:00:00Z");
      const query = { projectId: ALPHA, userId: "u", now, limit: 10 };
      return (await store.entitlements.list(query)).values.map((it) => it.id);
    };
    await run(store, [{ offer: gold }, bought("CAPTURED")]);
    expect(await list()).toEqual(["t"]);
    expect(await exportText(store, ALPHA)).not.toContain('"entitlement"');
    await run(store, [bought("REFUNDED")]);
    expect(await list()).toEqual([]);
    await run(store, [entitlement("g", "gold")]);
    expect(await list()).toEqual(["g"]);
  });

  scenario("what a record refers to is found", SMALL, async (store) => {
    const annotation = { id: "n", project_id: ALPHA, type_id: "annotation_type-1", video_id: "a" };
    await run(store, [video("a"), { annotation }]);
    const referrers = await store.referrers.list(
      { kind: "annotation_type", id: "annotation_type-1", ...IN_ALPHA },
      10,
    );
    expect(referrers).toContainEqual({ kind: "annotation", id: "n" });
  });

  scenario("an entitlement is found by its last offer", SMALL, async (store) => {
    const referrers = async (id: string) =>
      (await store.referrers.list({ kind: "offer", id, ...IN_ALPHA }, 10)).map((it) => it.id);
    await run(store, [entitlement("g", "offer-8")]);
    expect(await referrers("offer-8")).toEqual(["g"]);
    await run(store, [entitlement("g", "offer-9")]);
    expect([await referrers("offer-8"), await referrers("offer-9")]).toEqual([[], ["g"]]);
  });

  scenario("an export is one snapshot of the project", SMALL, async (store, fresh) => {
    const other = await fresh.openAnother();
    const kinds: string[] = [];
    await store.exportRecords(ALPHA, async (records) => {
      if (kinds.length === 0)
        await run(other, [video("late"), { event: { id: "late", project_id: ALPHA } }]);
      kinds.push(...records.map(({ resource }) => `${resource.case}`));
      expect(
        JSON.stringify(records, (_, value) => (typeof value === "bigint" ? 0 : value)),
      ).not.toMatch(/late|gamma|beta/);
    });
    expect(kinds).toContain("video");
    expect(await exportText(store, ALPHA)).toContain("late");
  });

  scenario("an export comes in code point order, however many there are", SMALL, async (store) => {
    const ids = Array.from({ length: 1_203 }, (_, n) => `v${n}`).concat("\u{1f3c6}", "\uffee", "Z");
    const videos = ids.map((id) => video(id));
    await run(store, videos);
    const got = (await exportLines(store)).flatMap((line) => line.video?.id ?? []);
    const bytes = (text: string) => Buffer.from(text);
    const want = [...ids, "video-1"].sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
    expect(got).toEqual(want);
  });

  scenario("an export holds all components of all pages, in their order", SMALL, async (store) => {
    // A step of 500 records ends within a page.
    const pages = Array.from({ length: 12 }, (_, n) => `p${String(n).padStart(2, "0")}`);
    const ids = pages.flatMap((id) => Array.from({ length: 90 }, (_, n) => [id, `${id}-${n}`]));
    await run(store, [
      ...pages.map((id) => page(id, id)),
      ...ids.map(([pageId = "", id = ""]) => component(id, pageId)),
    ]);
    const got = (await exportLines(store)).flatMap((line) => line.page_component ?? []);
    const exported = got.map((it) => [it.page_id, it.page_component.id]);
    expect(exported.filter(([pageId]) => pageId !== "page-1")).toEqual(ids);
  });

  scenario("a project that does not exist has no export", SMALL, async (store) => {
    await expect(exportText(store, "nowhere")).rejects.toMatchObject({ code: Code.NOT_FOUND });
  });
}

const SMALL = createSmallDataset();
const documents = (store: Store) => store.in("acme").documents;
const ALL = { visibilities: [0, 1, 2, 3], componentVisibilities: [0, 1, 2, 3] };

const video = (id: string, more: object = {}) => ({
  video: { id, project_id: ALPHA, name: id, ...more },
});
const offer = (id: string) => ({ offer: { id, project_id: ALPHA, name: "Gold" } });
const page = (id: string, slug: string) => ({ page: { id, project_id: ALPHA, slug } });
const component = (id: string, pageId: string, more: object = { text: {} }, type = "text") => ({
  page_component: { page_id: pageId, page_component: { id, project_id: ALPHA, type, ...more } },
});

/** Components of a page, in this order. */
const on = (pageId: string, ...ids: string[]) => ids.map((id) => component(id, pageId));

const binding = (more: object) => ({
  binding: {
    ...{ id: "a", organization_id: "acme", account_id: "ann", role_id: "owner" },
    ...{ resource_key: "acme/organization", ...more },
  },
});
const bindingOf = (resource_key: string) => binding({ resource_key });
const role = (more: object) => ({
  role: {
    ...{ id: "crew", organization_id: "acme", name: "C", permissions: ["cms.events.get"] },
    ...more,
  },
});

const TIME = "2026-01-01T00:00:00Z";
const transaction = (id: string, offer_id: string, status: string) => ({
  transaction: {
    transaction: {
      ...{ id, project_id: ALPHA, offer_id, user_id: "u", status, create_time: TIME },
      ...{ capture_time: TIME, access_period: "ACCESS_PERIOD_UNLIMITED" },
    },
    billing_transaction_id: "b",
  },
});
const BOUGHT = transaction("t", "o", "TRANSACTION_STATUS_CAPTURED");
const entitlement = (id: string, offer_id: string) => ({
  entitlement: { id, project_id: ALPHA, user_id: "u", offer_id, start_time: TIME },
});
const project = (id: string, organization_id: string, name = "A") => ({
  project: { id, organization_id, name },
});
const organization = (id: string, name = "N") => ({ organization: { id, name } });
const SECOND_FILTER = component("f", "page-1", { filter: {} }, "filter");
const LOUD = { conditions: [{ source_types: { types: ["LOUD"] } }] };
const annotationType = (action_configuration: object) => ({
  annotation_type: { id: "t", project_id: ALPHA, name: "T", action_configuration },
});

/** Lines that are rejected behind a good one, by code, and what is said of them. */
const ERRORS: readonly (readonly [Code, readonly (readonly [readonly object[], string])[]])[] = [
  [
    Code.NOT_FOUND,
    [
      [[component("a", "nowhere")], "line 2: page nowhere does not exist"],
      [[component("a", "page-2"), page("page-2", "two")], "line 2: page page-2 does not exist"],
      [
        [component("a", "page-1", { text: {}, project_id: GAMMA })],
        "line 2: page page-1 does not exist",
      ],
      [[video("a", { project_id: "nowhere" })], "line 2: project nowhere does not exist"],
      [[project("a", "nowhere")], "line 2: organization nowhere does not exist"],
      [[binding({ role_id: "king" })], "line 2: role king does not exist"],
      [[binding({ account_id: "eve" })], "line 2: account eve does not exist"],
      [[bindingOf("other/organization")], "line 2: organization other does not exist"],
      [[bindingOf(`x/${GAMMA}/event`)], "line 2: project gamma does not exist"],
    ],
  ],
  [
    Code.ALREADY_EXISTS,
    [
      [
        [video("video-1", { project_id: BETA })],
        "line 2: video.id: video-1 belongs to another project",
      ],
      [[project(ALPHA, "other")], "line 2: project.id: alpha belongs to another organization"],
      [
        [BOUGHT, entitlement("t", "o")],
        "line 3: entitlement.id: t is used by an entitlement that a transaction grants",
      ],
      [
        [transaction("t", "o", "TRANSACTION_STATUS_FAILED"), entitlement("t", "o")],
        "line 3: transaction t already exists",
      ],
      [[page("page-2", "home")], "line 2: page.slug: 'home' is already used by page page-1"],
      [
        [page("page-2", "two"), page("page-3", "two")],
        "line 3: page.slug: 'two' is already used by page page-2",
      ],
    ],
  ],
  [
    Code.FAILED_PRECONDITION,
    [
      [
        [component("a", "page-1"), SECOND_FILTER, component("b", "page-1")],
        "line 3: a page must have at most one component of type filter",
      ],
      [
        [component("a", "page-1", { text: {}, group_id: "g" })],
        "line 2: components with the group_id",
      ],
    ],
  ],
  [
    Code.INVALID_ARGUMENT,
    [
      [
        [bindingOf(`x/${ALPHA}/entitlement`)],
        "line 2: binding.resource_key: a single entitlement cannot have bindings; bind the role on",
      ],
      [
        [annotationType(LOUD)],
        "line 2: annotation_type.action_configuration.conditions[0].source_types.types[0]: ",
      ],
      [
        [binding({ role_id: "operator" })],
        "line 2: binding.role_id: role 'operator' may create organizations and cannot come from a",
      ],
      [
        [role({ permissions: ["cms.events.get", "iam.organizations.create"] })],
        "line 2: role.permissions: role 'crew' may create organizations",
      ],
      [[role({ id: "operator" })], "line 2: role.id: 'operator' is a built-in role"],
    ],
  ],
];

/** What a file for the project alpha, of the organization acme, may not hold. */
const NOT_OF_PROJECT: readonly (readonly [object, string])[] = [
  [binding({}), "binding: does not belong to a project"],
  [role({}), "role: does not belong to a project"],
  [
    { account: { id: "new", organization_id: "acme", name: "N" } },
    "account: does not belong to a project",
  ],
  [organization("new"), "organization.id: new would be created"],
  [organization("acme"), "organization.id: acme would be updated"],
  [
    organization("other", "Other"),
    "organization.id: other is not the organization of project alpha",
  ],
  [project(GAMMA, "other", "Gamma"), "project.id: is gamma"],
  [video("v", { project_id: GAMMA }), "video.project_id: is gamma"],
];

/** Imports lines, and returns the outcome of each record. */
async function run(
  store: Store,
  lines: readonly object[],
  options: ImportOptions = {},
): Promise<string[]> {
  const heard: string[] = [];
  await importRepeats(store, lines, {
    ...options,
    onRecord: ({ kind, id }, outcome) => heard.push(`${outcome} ${kind} ${id}`),
  });
  return heard;
}

/** Exports the project alpha; returns the value of each line. */
async function exportLines(store: Store) {
  const lines = (await exportText(store, ALPHA)).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

async function listComponents(store: Store, pageId: string): Promise<string[]> {
  const { values } = await store.in("acme").pageComponents.list({
    parentIds: [pageId],
    order: { field: "position", direction: "asc" },
    limit: 100,
    now: new Date(0),
    budget: createEndlessBudget(),
  });
  return values.map(({ id }) => id);
}
