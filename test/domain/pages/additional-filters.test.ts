import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseKql } from "../../../src/domain/kql/index.ts";
import {
  applySession,
  type SessionOutcome,
  type SessionSettings,
} from "../../../src/domain/pages/additional-filters.ts";
import { hostileText } from "../kql/arbitraries.ts";
import { withoutSpans } from "../kql/fixtures.ts";

const SETTINGS: SessionSettings = {
  filter: "content_type: match",
  additionalFilters: { team: "entity_ids: {team.id}", live: "status: live" },
  additionalSearch: "find",
  search: "base",
  pinned: ["p2", "p1"],
  showOnUnmatched: false,
};

const UNSET = [
  { key: "live", reason: "KEY_UNSET" },
  { key: "team", reason: "UNSET" },
];
const [LIVE_UNSET, TEAM_UNSET] = UNSET;

const BASE = {
  filter: "content_type: match",
  search: "base",
  pinned: ["p2", "p1"],
  hidden: false,
  dropped: UNSET,
};

type Session = Readonly<Record<string, JsonValue>>;

describe("a session is applied by the rules of the contract", () => {
  test.each<{
    readonly name: string;
    readonly settings?: Partial<SessionSettings>;
    readonly session: Session;
    readonly want: Partial<Record<keyof SessionOutcome, unknown>>;
  }>([
    { name: "nothing set: the component's own", session: {}, want: {} },
    {
      name: "a declared key joins its clause and drops the pinned",
      session: { team: { id: "t1" } },
      want: {
        filter: 'content_type: match AND entity_ids: "t1"',
        pinned: [],
        dropped: [LIVE_UNSET],
      },
    },
    {
      name: "a clause without a placeholder is active while its key is set, also to false",
      session: { live: false },
      want: { filter: "content_type: match AND status: live", pinned: [], dropped: [TEAM_UNSET] },
    },
    {
      name: "two keys join in the order of the keys",
      session: { team: { id: "t1" }, live: 1 },
      want: {
        filter: 'content_type: match AND status: live AND entity_ids: "t1"',
        pinned: [],
        dropped: [],
      },
    },
    {
      name: "an array expands into an or list",
      session: { team: [{ id: "t1" }, { id: "t2" }] },
      want: {
        filter: 'content_type: match AND entity_ids: ("t1" OR "t2")',
        pinned: [],
        dropped: [LIVE_UNSET],
      },
    },
    {
      name: "a filter with an or is put in parentheses",
      settings: { filter: "a: 1 or b: 2" },
      session: { live: true },
      want: { filter: "(a: 1 or b: 2) AND status: live", pinned: [], dropped: [TEAM_UNSET] },
    },
    {
      name: "a declared key whose clause fails keeps filter and pinned, and hides nothing",
      session: { team: {} },
      want: {},
    },
    {
      name: "a cleared choice of many keeps filter and pinned",
      session: { team: [] },
      want: { dropped: [LIVE_UNSET, { key: "team", reason: "EMPTY_ARRAY" }] },
    },
    {
      name: "null is unset for every kind of key",
      session: { team: null, live: null, find: null, x: null },
      want: {},
    },
    {
      name: "the empty text is a value of a clause",
      settings: { additionalFilters: { team: "f: {team}" } },
      session: { team: "" },
      want: { filter: 'content_type: match AND f: ""', pinned: [], dropped: [] },
    },
    { name: "the empty text is a search", session: { find: "" }, want: { search: "", pinned: [] } },
    { name: "the empty text of another key hides", session: { x: "" }, want: { hidden: true } },
    {
      name: "the search of the session replaces the base and drops the pinned",
      session: { find: "cup final" },
      want: { search: "cup final", pinned: [] },
    },
    { name: "a number is a search", session: { find: 0 }, want: { search: "0", pinned: [] } },
    {
      name: "a boolean is a search",
      session: { find: false },
      want: { search: "false", pinned: [] },
    },
    {
      name: "half a character of the session is replaced",
      settings: { additionalFilters: { a: "f: {a}" } },
      session: { a: "x\ud800", find: "\udc00y" },
      want: {
        filter: 'content_type: match AND f: "x\ufffd"',
        search: "\ufffdy",
        pinned: [],
        dropped: [],
      },
    },
    { name: "a list is no search", session: { find: ["a"] }, want: {} },
    { name: "an object is no search", session: { find: { a: 1 } }, want: {} },
    {
      name: "no additional search: its key is any other",
      settings: { additionalSearch: "" },
      session: { find: "x", "": "y" },
      want: { hidden: true },
    },
    {
      name: "a search of the session with none of the component",
      settings: { search: "" },
      session: { find: "x" },
      want: { search: "x", pinned: [] },
    },
    {
      name: "a key for filter and search serves both",
      settings: { additionalFilters: { find: "f: {find}" } },
      session: { find: "x" },
      want: { filter: 'content_type: match AND f: "x"', search: "x", pinned: [], dropped: [] },
    },
    {
      name: "an undeclared key hides and keeps the pinned",
      session: { x: 0 },
      want: { hidden: true },
    },
    {
      name: "an undeclared key hides also beside a declared one",
      session: { x: 0, live: 1 },
      want: {
        filter: "content_type: match AND status: live",
        pinned: [],
        hidden: true,
        dropped: [TEAM_UNSET],
      },
    },
    {
      name: "an undeclared key is ignored where that is chosen",
      settings: { showOnUnmatched: true },
      session: { x: 0 },
      want: {},
    },
    {
      name: "a member of every object is no declared key",
      session: { toString: "x" } as Session,
      want: { hidden: true },
    },
    {
      name: "a key named like the prototype is a key",
      session: JSON.parse('{"__proto__": "x"}'),
      want: { hidden: true },
    },
  ])("$name", ({ name, settings, session, want }) => {
    expect(applySession({ ...SETTINGS, ...settings }, session)).toEqual({ ...BASE, ...want });
  });

  test("settings that say nothing give nothing", () => {
    const settings = { filter: "", additionalFilters: {}, showOnUnmatched: false };
    const want = { filter: "", search: "", pinned: [], hidden: false, dropped: [] };
    expect(applySession(settings, {})).toEqual(want);
  });

  test("a member of every object is no search", () => {
    const settings = { ...SETTINGS, additionalSearch: "toString" };
    expect(applySession(settings, {})).toEqual(BASE);
  });
});

test.each<[string, string, string]>([
  ["malformed", "a: (", "KQL_SYNTAX"],
  ["too large with its clause", "a".repeat(8_192), "KQL_LIMIT"],
])("a filter that cannot be composed is refused: %s", (_name, filter, reason) => {
  expect(() => applySession({ ...SETTINGS, filter }, { live: 1 })).toThrow(
    expect.objectContaining({ reason }),
  );
});

test("no hostile value changes the filter outside its place", () => {
  const shapeOf = (filter: string, text: string) =>
    JSON.parse(JSON.stringify(withoutSpans(parseKql(filter))), (key, it) =>
      key === "text" && it === text ? "its place" : it,
    );
  const filterOf = (id: string) => applySession(SETTINGS, { team: { id } }).filter;
  const want = shapeOf(filterOf("plain"), "plain");
  fc.assert(
    fc.property(hostileText, (id) => {
      expect(shapeOf(filterOf(id), id.toWellFormed())).toEqual(want);
    }),
    { numRuns: 500 },
  );
});
