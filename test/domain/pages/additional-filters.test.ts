import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseKql } from "../../../src/domain/kql/index.ts";
import {
  applySession,
  type SessionOutcome,
  type SessionSettings,
} from "../../../src/domain/pages/additional-filters.ts";
import { readLines } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";
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

const BASE = {
  filter: "content_type: match",
  search: "base",
  pinned: ["p2", "p1"],
  hidden: false,
  dropped: [
    { key: "live", reason: "KEY_UNSET" },
    { key: "team", reason: "UNSET" },
  ],
};

interface SessionCase {
  readonly name: string;
  readonly settings?: Partial<SessionSettings>;
  readonly session: Readonly<Record<string, JsonValue>>;
  readonly want: Partial<Record<keyof SessionOutcome, unknown>>;
}

describe("a session is applied by the rules of the contract", () => {
  test.each(readLines<SessionCase>("pages/additional-filters"))("$name", (it) => {
    const got = applySession({ ...SETTINGS, ...it.settings }, it.session);
    expect(got).toEqual({ ...BASE, ...it.want });
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
])("a filter that cannot be composed is rejected: %s", (_name, filter, reason) => {
  expect(() => applySession({ ...SETTINGS, filter }, { live: 1 })).toThrow(rejection(reason));
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
