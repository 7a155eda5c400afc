import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { parseKql } from "../../../src/domain/kql/index.ts";
import { findRejection } from "../../../src/http/listener/request-limits.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { send } from "../../harness/http.ts";
import { override } from "../../harness/override.ts";
import { type SmallMarquee, startSmallMarquee } from "../../harness/small-marquee.ts";
import { createSmallDataset } from "../../storage/small-dataset.ts";

vi.mock("../../../src/domain/kql/index.ts", { spy: true });
vi.mock("../../../src/http/listener/request-limits.ts", { spy: true });

/** How often a request had what done. */
let done: Record<"keys" | "lists", number>;
let services: Record<"cached" | "plain", SmallMarquee>;
beforeAll(async () => {
  const cacheMib = 1;
  services = {
    cached: await startSmallMarquee(createSmallDataset(), { limits: { cacheMib } }, counting),
    plain: await startSmallMarquee(createSmallDataset(), {}, counting),
  };
});
beforeEach(() => {
  done = { keys: 0, lists: 0 };
  vi.mocked(findRejection).mockClear();
  vi.mocked(parseKql).mockClear();
});
afterAll(async () => {
  for (const service of Object.values(services)) await service.close();
});

function counting(store: Store): Store {
  const { access, events } = store;
  return override(store, {
    access: override(access, {
      findProjectKey(hash) {
        done.keys += 1;
        return access.findProjectKey(hash);
      },
    }),
    events: override(events, {
      list(query) {
        done.lists += 1;
        return events.list(query);
      },
    }),
  });
}

const list = async (name: keyof typeof services, pageSize: number) => {
  const { url, keys } = services[name];
  const path = getUrl(PROCEDURES.listEvents, { pageSize, filter: "id = 'x' or start_time > now" });
  const { status } = await send("GET", url + path, { token: keys.public });
  return [
    status,
    vi.mocked(findRejection).mock.calls.length,
    vi.mocked(parseKql).mock.calls.length,
  ];
};

test.each(["cached", "plain"] as const)(
  "a cold GET, %s, is checked, authenticated, parsed and read once",
  async (name) => {
    expect(await list(name, 1)).toEqual([200, 1, 1]);
    expect(done).toEqual({ keys: 1, lists: 1 });
  },
);

test("another cold GET by the same key does not look it up again, a hot one does nothing", async () => {
  expect(await list("cached", 2)).toEqual([200, 1, 1]);
  expect(done).toEqual({ keys: 0, lists: 1 });
  expect(await list("cached", 2)).toEqual([200, 2, 1]);
  expect(done).toEqual({ keys: 0, lists: 1 });
});
