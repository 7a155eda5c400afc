import { expect, test } from "vitest";
import { connectHeaders } from "../../harness/calls.ts";
import { send } from "../../harness/http.ts";
import { expectWithin, LONGEST_TURN, MACHINE, watchTurns } from "../../harness/turns.ts";
import { useLimitedTime } from "../../harness/unlimited-time.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { list, MOST, WORK } from "./clause-work.ts";

const { tokens, url } = await useMarquee();
useLimitedTime();
const RENDER = "svc.studio.ott.rendering.v1.RenderingService/RenderPageComponent";

/** The CPU time of a call and of each KiB of its body: 200 and 20 ms on a machine of 2025. */
const MOST_CPU = { call: 60 * MACHINE, bodyKib: 6 * MACHINE };

/** Calls of editors who type at the same time. */
const CALLS = 20;

const rail = (fields: JsonMessage, session: object = {}) => ({
  pageComponent: {
    projectId: "worldcup",
    type: "rail",
    rail: { type: "BASE_TYPE_EVENT", ...fields },
  },
  ...{ session, pageId: "page-home", includeItems: true, itemsPageSize: MOST },
});

/** The clauses that take longest to parse; all of them are composed as those of pages are. */
const PARSED = ["clauses of many nodes", "one value of many placeholders"];

const BODIES: Readonly<Record<string, JsonMessage>> = {
  ...Object.fromEntries(
    PARSED.map((name) => {
      const { clauses, session } = WORK[name] ?? expect.fail();
      return [name, rail({ filter: "content_type: match", additionalFilters: clauses }, session)];
    }),
  ),
  "free JSON in every field": rail(
    Object.fromEntries(
      ["card", "cardThumbnail", "cardStyling", "background", "arrows", "seeAll", "theme"].map(
        (it) => [...[it, Object.fromEntries(list(2_700, (key) => [`k${key}`, `${key}`]))]],
      ),
    ),
  ),
  "a filter that matches nothing": rail({
    filter: list(60, (it) => `not fields.q${it}: z${it}`).join(" and "),
    ...{ order: "fields.q0 desc", search: "a b c d e f g h" },
  }),
  "200 pinned items": rail({ pinned: list(200, (it) => `match-2026-${it}`) }),
};

test.each(Object.keys(BODIES))("20 renderings at once do not hold others up: %s", async (name) => {
  const body = BODIES[name] ?? {};
  const render = async () => {
    const headers = connectHeaders(tokens.viewer);
    const got = await send("POST", `${url}/${RENDER}`, { headers, body });
    // A filter may be too long with the session, and four calls of an account may be expensive.
    expect(got.text).toMatch(/^\{"component"|CONFIGURATION_INVALID|EXPENSIVE_READS_LIMIT/);
  };
  // The first calls also compile the code.
  for (let call = 0; call < 3; call += 1) await render();
  const { busy, longest } = await watchTurns(() => Promise.all(list(CALLS, render)));
  const kib = JSON.stringify(body).length / 1_024;
  expectWithin(busy, CALLS * (MOST_CPU.call + kib * MOST_CPU.bodyKib));
  expectWithin(longest, LONGEST_TURN);
});
