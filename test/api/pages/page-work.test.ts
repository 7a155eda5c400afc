import { describe, expect, test } from "vitest";
import { WORK_LIMITS } from "../../../src/domain/base/work-budget.ts";
import { LONGEST_TURN, MACHINE, watchTurns } from "../../harness/turns.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { createSmallDataset } from "../../storage/small-dataset.ts";
import { getPage } from "./pages.ts";
import { createGrid, createPage, createPart, createRail } from "./small-pages.ts";

/** These pages have up to 12 MB, which the service writes in a turn and the client of this test reads in another. */
const LONGEST_LARGE_TURN = 4 * LONGEST_TURN;

/** The budget of reads, and what checking, writing and reading such a page takes besides, on this machine. */
const MOST_BUSY = WORK_LIMITS.request + 300 * MACHINE;

/** The most components of a page, clauses of a component and keys of a session. */
const MOST = 100;

const list = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const map = <T>(count: number, make: (index: number) => T) =>
  Object.fromEntries(list(count, (index) => [`k${index}`, make(index)]));

type Clauses = Readonly<Record<string, string>>;

/** The components that clauses narrow. */
const KINDS = {
  rail: (id: string, additionalFilters: Clauses) =>
    createRail(id, { filter: "content_type: match", additionalFilters }),
  calendar: (id: string, additionalFilters: Clauses) =>
    createPart(id, { case: "calendarV2", value: { additionalFilters } }),
  grid: (id: string, additional_filters: Clauses) =>
    createGrid(id, "inline", { type: "BASE_TYPE_EVENT", additional_filters }),
} as const;

/** Clauses of a component, and a session that makes their composition expensive. */
interface Work {
  readonly clauses: Clauses;
  readonly session: object;
}

const WORK: Readonly<Record<string, Work>> = {
  "a short clause for each key": {
    clauses: map(MOST, (it) => `f.n${it}: {k${it}}`),
    session: map(MOST, (it) => `v${it}`),
  },
  "lists that become more values than a filter holds": {
    clauses: map(MOST, (it) => `f.n${it}: {k${it}}`),
    session: map(MOST, () => list(9, String)),
  },
  "a list for each key that alone is almost too long": {
    clauses: map(MOST, () => "f: {k0} and g: {none}"),
    session: { k0: list(250, String) },
  },
  "clauses of many nodes": {
    clauses: map(MOST, () => `f: (${list(250, (it) => `x${it}`).join(" or ")}) and g: {none}`),
    session: { k0: 1 },
  },
  "one value of many placeholders": {
    clauses: map(MOST, () => `f: ${list(450, (it) => `{o.k${it}}`).join("")}`),
    session: { o: map(450, () => "") },
  },
  "a list in a value of many placeholders": {
    clauses: map(MOST, () => `f: ${list(450, () => "{k0}").join("")}`),
    session: { k0: list(16, () => "") },
  },
  "a long text in many places": {
    clauses: map(MOST, () => list(80, (it) => `f${it}: {k0}`).join(" and ")),
    session: { k0: '"'.repeat(60_000) },
  },
  "paths through a list": {
    clauses: map(MOST, () => list(80, (it) => `f: {o.m${it}}`).join(" and ")),
    session: { o: list(400, (it) => ({ [`m${it % 80}`]: it })) },
  },
};

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
        expect(turns.longest).toBeLessThan(LONGEST_LARGE_TURN);
        expect(turns.busy).toBeLessThan(MOST_BUSY);
      }
    });
  }
});
