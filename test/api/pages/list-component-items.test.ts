import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { metadataOf, reasonOf, refusal } from "../../harness/http.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { WAYS } from "../delivery.ts";
import { componentsOf, getComponent, getPage, itemIds, listItems, readItems } from "./pages.ts";
import { createGrid, createPage, createPart, createRail, ofEachVisibility } from "./small-pages.ts";

/** Ids by start time: e-00 to e-24. */
const EVENTS = Array.from({ length: 25 }, (_, hour) => `e-${String(hour).padStart(2, "0")}`);
const PINNED = ["e-07", "missing", "unlisted", "e-03", "hidden", "e-07", "e-20", "entity"];

const NARROWED = { additionalFilters: { part: "fields.part: {part}" }, additionalSearch: "query" };

const DATA = createSmallDataset({
  events: [
    ...EVENTS.map((id, hour) =>
      createEvent(id, {
        startTime: timestampFromMs(Date.UTC(2026, 5, 11, hour)),
        title: { en: `Event ${hour}` },
        fields: { part: hour % 2 === 0 ? "even" : "odd" },
      }),
    ),
    ...ofEachVisibility((id, visibility) => createEvent(id, { visibility })).filter(
      (it) => it.visibility !== Visibility.PUBLISHED,
    ),
  ],
  entities: [
    create(EntitySchema, { id: "entity", projectId: ALPHA, visibility: Visibility.PUBLISHED }),
  ],
  pages: [
    createPage(
      "page",
      [
        createRail("all", NARROWED),
        createRail("pinned", { ...NARROWED, pinned: PINNED }),
        createRail("only-pinned", { filter: "id: e-03", pinned: ["e-03", "e-07"] }),
        createRail("limited", { limit: 4, pinned: ["e-20"] }),
        createRail("latest", { order: "start_time desc" }),
        createRail("one", { filter: "id: {id}" }),
        createRail("none", { filter: "id: nothing" }),
        createRail("entities", { type: BaseType.ENTITY, pinned: ["e-03", "entity"] }),
        createGrid("see-all", "reference", { page_component_id: "limited" }),
        createGrid("grid", "inline", { type: "BASE_TYPE_EVENT", page_size: 10 }),
        createPart("text", { case: "text", value: {} }),
        createPart("player", { case: "eventPlayer", value: {} }),
      ],
      { parameters: ["id"] },
    ),
  ],
});

/** What pins of `PINNED` a public key is shown, and what follows them. */
const SHOWN_PINS = ["e-07", "e-03", "e-20"];
const without = (ids: readonly string[]) => EVENTS.filter((id) => !ids.includes(id));

const marquee = await useSmallMarquee(DATA);

describe("pages of every size hold all, in order", () => {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["all", EVENTS],
    ["pinned", [...SHOWN_PINS, ...without(SHOWN_PINS)]],
    ["only-pinned", ["e-03", "e-07"]],
    ["limited", ["e-20", ...without(["e-20"])]],
    ["latest", EVENTS.toReversed()],
    ["entities", ["entity"]],
    ["none", []],
    ["grid", EVENTS],
    ["see-all", ["e-20", ...without(["e-20"])]],
  ];
  for (const [id, want] of lists) {
    test(id, async () => {
      for (let size = 1; size <= want.length + 2; size += 1) {
        const pages = await readItems(marquee, { id }, size);
        expect(pages.flat()).toEqual(want);
        const most = id === "limited" ? 4 : id === "grid" ? 10 : 100;
        const full = pages.slice(0, -1).every((page) => page.length === Math.min(size, most));
        expect([size, full]).toEqual([size, true]);
        expect(pages.at(-1)?.length).toBeGreaterThan(want.length === 0 ? -1 : 0);
      }
    });
  }

  test("the pinned of every visibility for a preview key", async () => {
    const pins = ["e-07", "unlisted", "e-03", "hidden", "e-20"];
    const rest = [...without(pins), "unspecified"];
    for (const size of [1, 3, 5, 100]) {
      const pages = await readItems(marquee, { id: "pinned" }, size, "preview");
      expect(pages.flat()).toEqual([...pins, ...rest]);
    }
  });
});

describe("how many items", () => {
  const cases: readonly (readonly [string, number | undefined, number])[] = [
    ["all", undefined, 20],
    ["all", 0, 20],
    ["all", 7, 7],
    ["all", 1000, 25],
    ["limited", undefined, 4],
    ["limited", 3, 3],
    ["limited", 5, 4],
    ["see-all", undefined, 20],
    ["see-all", 24, 24],
    ["grid", undefined, 10],
    ["grid", 11, 10],
  ];
  for (const [id, pageSize, want] of cases) {
    test(`${pageSize} asks ${id} for ${want}`, async () => {
      const got = await listItems(marquee, { id, pageSize });
      expect(got.json.items).toHaveLength(want);
    });
  }

  test("a negative number is refused", async () => {
    expect(refusal(await listItems(marquee, { id: "all", pageSize: -1 }))).toEqual([
      400,
      "PAGE_SIZE_INVALID",
    ]);
  });
});

describe("the token of an answer with its first items", () => {
  const state = { session: { part: "odd" }, parameters: { id: "e-01" } };
  const first = { includeItems: true, itemsPageSize: 2, ...state };
  for (const id of ["all", "pinned", "limited", "see-all", "grid"]) {
    for (const way of WAYS) {
      test(`goes on behind them in ${id}, by ${way}`, async () => {
        const { session, ...open } = first;
        for (const message of id === "all" || id === "pinned" ? [first, open] : [open]) {
          const page = componentsOf(
            await getPage(marquee, { id: "page", ...message }, "public", way),
          );
          const single = await getComponent(marquee, { id, ...message }, "public", way);
          const shown = page.get(id);
          expect(single.json.component).toEqual(shown);
          const pageToken = shown?.itemsNextPageToken;
          const rest = await listItems(marquee, { id, ...message, pageSize: 2, pageToken });
          const whole = await listItems(marquee, { id, ...message, pageSize: 4 });
          const joined = [...itemIds(shown?.items), ...itemIds(rest.json.items)];
          expect(joined).toEqual(itemIds(whole.json.items));
          expect(joined).toHaveLength(4);
        }
      });
    }
  }
});

describe("a token is refused", () => {
  const own = { id: "all", session: { part: "odd" }, pageSize: 1 };
  const others: readonly (readonly [string, object, ("public" | "preview")?])[] = [
    ["with another session", { session: { part: "even" } }],
    ["without the session", { session: {} }],
    ["with another search", { session: { part: "odd", query: "event" } }],
    ["with a session that hides", { session: { part: "even", other: 1 } }],
    ["by another component", { id: "pinned" }],
    ["by another kind of key", {}, "preview"],
  ];
  for (const [name, change, key] of others) {
    test(name, async () => {
      const { json } = await listItems(marquee, own);
      const message = { ...own, pageToken: json.nextPageToken };
      expect((await listItems(marquee, { ...message, pageSize: 3, pageId: "page" })).status).toBe(
        200,
      );
      expect(refusal(await listItems(marquee, { ...message, ...change }, key))).toEqual([
        400,
        "PAGE_TOKEN_INVALID",
      ]);
    });
  }

  test("with another parameter that a filter reads", async () => {
    const page = { id: "one", parameters: { id: "e-01" } };
    expect((await listItems(marquee, page)).json.nextPageToken).toBeUndefined();
    const got = await listItems(marquee, { ...page, pageToken: "bGlzdA" });
    expect(reasonOf(got)).toBe("PAGE_TOKEN_INVALID");
  });
});

describe("what has no items", () => {
  for (const id of ["text", "player"]) {
    test(`${id} is refused`, async () => {
      const got = await listItems(marquee, { id });
      expect([got.status, got.json.code, reasonOf(got)]).toEqual([
        ...[400, "failed_precondition", "COMPONENT_WITHOUT_ITEMS"],
      ]);
      expect(metadataOf(got)).toEqual({ component_id: id });
    });
  }

  test("a component that is left out says why", async () => {
    const got = await listItems(marquee, { id: "one" });
    expect([got.status, got.json.code, reasonOf(got)]).toEqual([
      ...[400, "failed_precondition", "COMPONENT_DROPPED"],
    ]);
    expect(metadataOf(got)).toEqual({
      ...{ component_id: "one", field: "rail.filter", variable: "id" },
      reason: "VARIABLE_UNRESOLVED",
    });
  });

  test("a component that is hidden is empty", async () => {
    const got = await listItems(marquee, { id: "all", session: { other: 1 } });
    expect([got.status, got.json]).toEqual([200, {}]);
  });

  for (const [message, key] of [
    [{ id: "nothing" }, "public"],
    [{ id: "all", pageId: "nothing" }, "public"],
    [{ id: "all" }, "sandbox"],
  ] as const) {
    test(`${JSON.stringify(message)} for the ${key} key is not found`, async () => {
      expect(refusal(await listItems(marquee, message, key))).toEqual([404, "RESOURCE_NOT_FOUND"]);
    });
  }
});
