import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { EntitySchema } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { BaseType } from "../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WORK_LIMITS } from "../../src/domain/base/work-budget.ts";
import { getUrl } from "../harness/calls.ts";
import { type HttpResponse, rejection, send } from "../harness/http.ts";
import { expectWithin, MACHINE, watchTurns } from "../harness/turns.ts";
import { useLimitedTime } from "../harness/unlimited-time.ts";
import { useSmallMarquee } from "../harness/use-marquee.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";
import { createPage, createRail } from "./pages/small-pages.ts";

/** The longest that one request may keep others waiting: CPU time, about 200 ms on a machine of 2025. */
const LONGEST_TURN = 60 * MACHINE;
/** A machine that is faster than one of 2025, where {@link MACHINE} is 3 ms, has more to read. */
const COUNT = 100 * Math.ceil(60 * Math.max(1, 3 / MACHINE));

/** Every hundredth entity is rare. */
const ENTITIES = Array.from({ length: COUNT }, (_, number) =>
  create(EntitySchema, {
    id: `entity-${String(number).padStart(5, "0")}`,
    projectId: ALPHA,
    visibility: Visibility.PUBLISHED,
    title: { en: `Team ${number}` },
    fields: { country: `c${number % 50}`, rank: number, name: `${number % 100}-rare` },
  }),
);

/** So many clauses that nothing meets, each with a wildcard in the name of its field. */
const wildcards = (count: number) =>
  Array.from({ length: count }, (_, it) => {
    const letters = `${"aeiortcn"[it % 8]}*${"abcdefghijklmnopqrstuvwxyz"[Math.floor(it / 8)]}`;
    return `*${letters}*: *no${it}such*`;
  }).join(" or ");

const HEAVY = wildcards(200);

/** What one in a hundred entities meets. */
const RARE = `${wildcards(199)} or fields.name: 0-r*e`;

const RAILS = 12;

const marquee = await useSmallMarquee(
  createSmallDataset({
    entities: ENTITIES,
    pages: [
      createPage(
        "heavy",
        Array.from({ length: RAILS }, (_, it) =>
          createRail(`rail-${it}`, { type: BaseType.ENTITY, filter: HEAVY }),
        ),
      ),
    ],
  }),
);
useLimitedTime();

const LIST = "/svc.cda.cms.entity.v1.EntityService/ListEntities";
const PAGE = "/svc.cda.ott.page.v1.PageService/GetPage";
const ITEMS = "/svc.cda.ott.page_component.v2.PageComponentService/ListPageComponentItems";

function read(procedure: string, message: object, token = marquee.keys.public) {
  return send("GET", marquee.url + getUrl(procedure, message), { token });
}

const list = (message: object, token?: string) => read(LIST, message, token);

/** Sends so many different requests at once, and hangs up on all of them after a time. */
async function hangUp(count: number, time: number): Promise<void> {
  const calls = Array.from({ length: count }, (_, it) => {
    const url = marquee.url + getUrl(LIST, { filter: `${HEAVY} or id: other-${it}` });
    const headers = { authorization: `Bearer ${marquee.keys.public}` };
    return fetch(url, { headers, signal: AbortSignal.timeout(time) });
  });
  await Promise.allSettled(calls);
}

/** CPU of this process, in which the service runs, in milliseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

const idsOf = (response: HttpResponse): string[] =>
  (response.json.entities ?? []).map(({ id }: { id: string }) => id);

describe("a list of 200 wildcards on the names of fields", () => {
  test("ends early, with a token", async () => {
    const before = cpu();
    const response = await list({ filter: HEAVY });
    expectWithin(cpu() - before, WORK_LIMITS.request + 300 * MACHINE);
    expect(response.status).toBe(200);
    expect(idsOf(response)).toEqual([]);
    expect(response.json.nextPageToken).toBeTruthy();
  });

  test("holds nothing up: another request is served at the same time", async () => {
    let completed = 0;
    const { longest } = await watchTurns(async () => {
      let isOver = false;
      const heavy = list({ filter: `${HEAVY} or id: nobody` }).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        expect((await list({ pageSize: 1, filter: `id: entity-00001` })).status).toBe(200);
        completed += 1;
      }
      expect((await heavy).json.nextPageToken).toBeTruthy();
    });
    expect(completed).toBeGreaterThan(1);
    expectWithin(longest, LONGEST_TURN);
  });

  test("is given up when its caller hangs up", async () => {
    const before = cpu();
    await hangUp(10, 300);
    await pause(2_000);
    expectWithin(cpu() - before, 600 * MACHINE);
    const work = performance.eventLoopUtilization();
    await pause(1_000);
    expect(performance.eventLoopUtilization(work).utilization).toBeLessThan(0.5);
  });

  test("is read to its end by tokens, every match once", async () => {
    const ids: string[] = [];
    let pages = 0;
    for (let pageToken: string | undefined = ""; pageToken !== undefined; pages += 1) {
      const response = await list({ filter: RARE, pageSize: 1_000, pageToken });
      expect(response.status).toBe(200);
      ids.push(...idsOf(response));
      pageToken = response.json.nextPageToken || undefined;
    }
    const want = ENTITIES.filter((_, number) => number % 100 === 0).map(({ id }) => id);
    expect(ids).toEqual(want);
    expect(pages).toBeGreaterThan(Math.ceil(want.length / 1_000));
  });
});

describe("a page of heavy rails", () => {
  test("has one budget: rails that are left have tokens from their start", async () => {
    const before = cpu();
    const response = await read(PAGE, { id: "heavy", includeItems: true });
    expectWithin(cpu() - before, WORK_LIMITS.request + 450 * MACHINE);
    expect(response.status).toBe(200);
    const { components, dropped = [] } = response.json;
    // On a slow machine, the time does not suffice to draw all of them.
    expect(components.length + dropped.length).toBe(RAILS);
    for (const it of dropped) expect(it.reason).toBe("WORK_LIMIT");
    for (const it of components) expect(it.itemsNextPageToken).toBeTruthy();
    const { component, itemsNextPageToken: pageToken } = components.at(-1);
    const more = await read(ITEMS, { id: component.id, pageToken });
    expect(more.status).toBe(200);
  });
});

describe("expensive reads of one key at the same time", () => {
  test("are rejected beyond four, with a time to wait; cheap ones and another project's never are", async () => {
    const heavy = Array.from({ length: 8 }, (_, it) => list({ filter: `${HEAVY} or id: x${it}` }));
    const other = list({ filter: HEAVY }, marquee.keys.sandbox);
    const cheap = Array.from({ length: 20 }, (_, it) =>
      list({ filter: `id: entity-0${1_000 + it}` }),
    );
    for (const response of await Promise.all(cheap)) expect(response.status).toBe(200);
    expect((await other).status).toBe(200);
    const responses = await Promise.all(heavy);
    const rejected = responses.filter(({ status }) => status !== 200);
    expect(responses.length - rejected.length).toBeGreaterThanOrEqual(4);
    expect(rejected.length).toBeGreaterThan(0);
    for (const response of rejected) {
      expect(rejection(response)).toEqual([429, "EXPENSIVE_READS_LIMIT"]);
      expect(response.headers.get("retry-after")).toBe("1");
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
    expect((await list({ filter: `${HEAVY} or id: later` })).status).toBe(200);
  });
});
