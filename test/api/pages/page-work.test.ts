import { describe, expect, test } from "vitest";
import { WORK_LIMITS } from "../../../src/domain/base/work-budget.ts";
import { expectWithin, LONGEST_TURN, MACHINE, watchTurns } from "../../harness/turns.ts";
import { useLimitedTime } from "../../harness/unlimited-time.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { createSmallDataset } from "../../storage/small-dataset.ts";
import { type Clauses, list, MOST, WORK } from "./clause-work.ts";
import { getPage } from "./pages.ts";
import { createGrid, createPage, createPart, createRail } from "./small-pages.ts";

/** These pages have up to 12 MB, which the service writes in a turn and the client of this test reads in another. */
const LONGEST_LARGE_TURN = 4 * LONGEST_TURN;

/** The budget of reads, and what checking, writing and reading such a page takes besides, on this machine. */
const MOST_BUSY = WORK_LIMITS.request + 300 * MACHINE;

/** The components that clauses narrow. */
const KINDS = {
  rail: (id: string, additionalFilters: Clauses) =>
    createRail(id, { filter: "content_type: match", additionalFilters }),
  calendar: (id: string, additionalFilters: Clauses) =>
    createPart(id, { case: "calendarV2", value: { additionalFilters } }),
  grid: (id: string, additional_filters: Clauses) =>
    createGrid(id, "inline", { type: "BASE_TYPE_EVENT", additional_filters }),
} as const;

/** Every work for a rail; the others compose as it does. */
const PAGES = Object.entries(KINDS).flatMap(([kind, create]) =>
  Object.entries(WORK)
    .filter(([name]) => kind === "rail" || name === "clauses of many nodes")
    .map(([name, work], index) => ({ kind, name, ...work, create, index })),
);

const idOf = ({ kind, index }: { readonly kind: string; readonly index: number }) =>
  `${kind}-${index}`;

const pages = PAGES.map((page) =>
  createPage(
    idOf(page),
    list(MOST, (it) => page.create(`${idOf(page)}-${it}`, page.clauses)),
  ),
);
const marquee = await useSmallMarquee(createSmallDataset({ pages }));
useLimitedTime();

describe("a page as large as one may be never keeps others waiting", () => {
  for (const page of PAGES) {
    test(`${page.kind}s with ${page.name}`, async () => {
      const id = idOf(page);
      const sessions = page.index === 0 ? [{}, page.session] : [page.session];
      for (const session of sessions) {
        const turns = await watchTurns(async () => {
          const got = await getPage(marquee, { id, session }, "public", "POST");
          expect(got.status, got.text).toBe(200);
          const { components = [], dropped = [] } = got.json;
          expect(components.length + dropped.length).toBe(MOST);
          for (const { reason } of dropped) {
            expect(["CONFIGURATION_INVALID", "WORK_LIMIT"]).toContain(reason);
          }
        });
        expectWithin(turns.longest, LONGEST_LARGE_TURN);
        expectWithin(turns.busy, MOST_BUSY);
      }
    });
  }
});
