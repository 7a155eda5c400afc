import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { GetPageRequestSchema } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { connectHeaders } from "../../harness/calls.ts";
import { rejection, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import {
  componentsOf,
  getComponent,
  getPage,
  itemIds,
  listItems,
  type ShownJson,
} from "./pages.ts";

const marquee = await useMarquee({ clock: () => new Date("2026-06-20T00:00:00Z") });

const RAIL = "rail-home-matches";
const PINNED = ["match-2026-104", "match-2022-64"];

/** What the rail with clauses for season, stage and team, and a search by `query`, becomes. */
const SESSIONS: readonly (readonly [object, Partial<ShownJson>])[] = [
  [{}, { pinned: PINNED }],
  [
    { team: [{ ids: ["a", "{id}"] }, {}], stage: false, season: ["2018", 2022] },
    {
      filter: String.raw`fields.season.id: ("2018" OR 2022) AND fields.stage: false AND entity_ids: ("a" OR "\u007bid}")`,
    },
  ],
  [{ season: null }, { pinned: PINNED }],
  [{ query: "final" }, { search: "final" }],
  [
    { season: 1, x: 0 },
    { filter: "fields.season.id: 1", hidden: true },
  ],
  [{ season: '" OR *' }, { filter: String.raw`fields.season.id: "\" OR *"` }],
  [{ toString: 1 }, { hidden: true, pinned: PINNED }],
];

test.each(SESSIONS)("a rail of the session %j", async (session, want) => {
  const got = componentsOf(await getPage(marquee, { slug: "home", session }));
  const clauses = want.filter === undefined ? "" : ` AND ${want.filter}`;
  expect(got.get(RAIL)).toEqual({
    component: expect.objectContaining({ id: RAIL }),
    ...want,
    filter: `content_type: match${clauses}`,
  });
  const single = await getComponent(marquee, { id: RAIL, session });
  expect(single.json.component).toEqual(got.get(RAIL));
});

describe("the session decides what is listed", () => {
  const first = async (session: object) => {
    const message = { slug: "home", session, includeItems: true, itemsPageSize: 3 };
    return componentsOf(await getPage(marquee, message));
  };

  test("the pinned vanish while a clause or a search takes part", async () => {
    const [open, narrowed, searched] = [
      await first({}),
      await first({ season: "2018" }),
      await first({ query: "Croatia" }),
    ];
    expect(itemIds(open.get(RAIL)?.items)).toEqual([...PINNED, "match-2026-103"]);
    expect(itemIds(narrowed.get(RAIL)?.items)).toEqual(
      ["64", "63", "62"].map((number) => `match-2018-${number}`),
    );
    const found = itemIds(searched.get(RAIL)?.items);
    expect(found).toHaveLength(3);
    for (const id of PINNED) expect(found).not.toContain(id);
  });

  test("a rail that knows a key not is empty and says so, one that ignores it is not", async () => {
    const shown = await first({ stage: "knockout" });
    expect(shown.get("rail-home-coming")).toMatchObject({ hidden: true });
    expect(shown.get("rail-home-coming")?.items).toBeUndefined();
    expect(shown.get("rail-home-coming")?.itemsNextPageToken).toBeUndefined();
    const got = await listItems(marquee, { id: "rail-home-coming", session: { stage: "x" } });
    expect(got.json).toEqual({});
    expect(shown.get("rail-home-finals")?.hidden).toBeUndefined();
    expect(shown.get("rail-home-finals")?.items).toHaveLength(3);
    expect(shown.get("rail-home-teams")?.items).toHaveLength(3);
  });

  test("what lists nothing does not mind", async () => {
    const [open, other] = [await first({}), await first({ other: 1 })];
    for (const id of ["banner-home", "filter-home", "offers-home", "footer-home"]) {
      expect(other.get(id)).toEqual(open.get(id));
    }
    expect(other.get("banner-home")?.bannerCollection?.id).toBe("banners-home");
  });

  test("a search past the limits leaves out what searches", async () => {
    const got = await getPage(marquee, { slug: "home", session: { query: "x".repeat(300) } });
    expect(got.json.dropped).toEqual([
      {
        componentId: RAIL,
        field: "rail.search",
        reason: "CONFIGURATION_INVALID",
        name: "All matches",
      },
    ]);
  });
});

test("a session value that is none is rejected", async () => {
  const request = create(GetPageRequestSchema, { slug: "home", session: { season: {} } });
  expect(
    rejection(
      await send("POST", `${marquee.url}/svc.cda.ott.page.v1.PageService/GetPage`, {
        headers: connectHeaders(marquee.keys.public, "application/proto"),
        body: toBinary(GetPageRequestSchema, request),
      }),
    ),
  ).toEqual([400, "VALUE_INVALID"]);
});
