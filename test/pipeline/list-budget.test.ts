import { create } from "@bufbuild/protobuf";
import { describe, expect, onTestFinished, test } from "vitest";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { ComponentItems } from "../../src/api/delivery/component-items.ts";
import { ContentLists, parseListQuery } from "../../src/api/delivery/content-list.ts";
import { ProjectReads } from "../../src/api/reads/project-reads.ts";
import { PageTokens } from "../../src/domain/base/paging.ts";
import { WORK_LIMITS, WorkBudget } from "../../src/domain/base/work-budget.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { ALPHA, createEvent, createSmallDataset } from "../storage/small-dataset.ts";
import { createDeliveryCall } from "./calls.ts";

const COUNT = 400;
const IDS = Array.from({ length: COUNT }, (_, index) => `e${100_000 + index}`);

/** Lists over events that are blocked everywhere, where each step that a budget counts takes some milliseconds. */
async function open(stepMs: number) {
  const { store, close } = await openFresh(
    createSmallDataset({
      events: IDS.map((id) => createEvent(id, {})),
      rulesets: [
        create(VideoProtectionRulesetSchema, {
          ...{ id: "nowhere", projectId: ALPHA, name: "nowhere" },
          applicability: { case: "appliesToAll", value: true },
          geoRestrictions: { case: "geoRestrictionsAllow", value: { countryCodes: [] } },
        }),
      ],
    }),
  );
  onTestFinished(close);
  const pageTokens = new PageTokens(new Uint8Array(32));
  const lists = new ContentLists({ pageTokens, places: { findCountry: () => "DE" } });
  let time = 0;
  const clock = () => {
    time += stepMs;
    return time;
  };
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  const budget = new WorkBudget({ clock, pause });
  const call = createDeliveryCall(new ProjectReads(store, store), budget);
  return { lists, call, pageTokens, budget, countPauses: () => pauses };
}

const query = parseListQuery("event", { filter: "", search: "", order: "" });

describe("a list ends early, with a token to go on", () => {
  test("within a page of items that are all blocked", async () => {
    const { lists, call, budget } = await open(1);
    const list = await lists.open({ kind: "event", query, excludeGeoblocked: true }, call);
    const { items, next } = await list.read(100, undefined);
    expect(items).toEqual([]);
    // An item takes three looks of a millisecond: its parts, its ruleset and the result. The pages after the first are not read.
    expect(next?.id).toBe(IDS[Math.ceil(WORK_LIMITS.page / 3) - 1]);
    expect(budget.isSpent).toBe(false);
    expect(call.freshness.until).toBe(call.now.getTime() + 5_000);
  });

  test("among pinned items that cannot be shown", async () => {
    const { lists, call, pageTokens, budget, countPauses } = await open(WORK_LIMITS.request / 10);
    const componentItems = new ComponentItems(lists, pageTokens);
    const pinned = Array.from({ length: 5_000 }, (_, index) => `missing-${index}`);
    const listing = {
      ...{ kind: "event", filter: "", node: query.filter, search: "", words: [], order: "" },
      ...{ hidden: false, limit: 0, pinned, excludeGeoblocked: false, dropped: [] },
    } as const;
    const page = { componentId: "rail", listing, size: 10, pageToken: "" };
    const { items, nextPageToken } = await componentItems.list(page as never, call);
    expect([items, budget.isSpent]).toEqual([[], true]);
    expect(budget.spent).toBeLessThan(2 * WORK_LIMITS.request);
    expect(nextPageToken).not.toBe("");
    // Between two look-ups, other requests go first.
    expect(countPauses()).toBeGreaterThanOrEqual(9);
  });
});
