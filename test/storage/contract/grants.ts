import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "vitest";
import {
  type Entitlement,
  EntitlementSchema,
} from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { DocumentQuery } from "../../../src/storage/contract/document-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { revisionOf } from "../../harness/revision.ts";
import { ALPHA, BETA, createSmallDataset, createTransaction, IN_ALPHA } from "../small-dataset.ts";
import { readAll } from "./paging.ts";
import type { Scenario } from "./scenario.ts";

const NOW = new Date("2026-07-19T19:00:00Z");
const admin = (store: Store) => store.in("acme").entitlementAdmin;
const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
const EXISTS = { code: Code.ALREADY_EXISTS, reason: "ALREADY_EXISTS" };

const DATA = createSmallDataset({
  offers: [
    create(OfferSchema, {
      id: "o-1",
      projectId: ALPHA,
      opens: { everything: true },
      maxStreams: 2,
    }),
    create(OfferSchema, { id: "o-2", projectId: ALPHA, opens: { videoIds: ["v"] } }),
    create(OfferSchema, { id: "o-beta", projectId: BETA, opens: { everything: true } }),
  ],
  transactions: [createTransaction("bought", { userId: "u", offerId: "o-1" })],
});

const grant = (id: string, init: MessageInitShape<typeof EntitlementSchema> = {}): Entitlement =>
  create(EntitlementSchema, {
    ...{ id, projectId: ALPHA, userId: "u", offerId: "o-1", startTime: { seconds: 2_000n } },
    ...init,
  } as MessageInitShape<typeof EntitlementSchema>);

const list = (store: Store, query: Partial<DocumentQuery> = {}, limit?: number) =>
  readAll<OrderPlace>(async (page) => {
    const order = { field: "id", direction: "asc" } as const;
    const all = { parentIds: [ALPHA], order, now: NOW, ...query, ...page };
    const { values, next } = await admin(store).list(all);
    return { ids: values.map(({ id }) => id), next };
  }, limit);

/** Holds the store of all entitlements: bought and given away. */
export function grantContract(scenario: Scenario): void {
  scenario("what is granted is returned as it is then read, its times cut", DATA, async (store) => {
    const startTime = { seconds: 2_000n, nanos: 123_456_789 };
    const endTime = { seconds: 253_402_300_799n, nanos: 999_999_999 };
    const made = await admin(store).create(grant("g", { startTime, endTime }));
    expect(made).toEqual({
      isGranted: true,
      revision: made.revision,
      value: grant("g", {
        opens: { everything: true },
        maxStreams: 2,
        startTime: { seconds: 2_000n, nanos: 123_456_000 },
        // After the year 2255, times are kept to 64 microseconds.
        endTime: { seconds: 253_402_300_799n, nanos: 999_936_000 },
      }),
    });
    expect(await admin(store).get("g")).toEqual(made);
  });

  scenario("what a transaction gives is there too", DATA, async (store) => {
    const { value, isGranted } = await admin(store).get("bought");
    expect([value.userId, value.offerId, isGranted]).toEqual(["u", "o-1", false]);
  });

  scenario("the project's own offer determines what it opens", DATA, async (store) => {
    const before = await admin(store).create(grant("g"));
    const foreign = await admin(store).create(grant("f", { offerId: "o-beta" }));
    expect(foreign.value.opens).toBeUndefined();
    await store
      .in("acme")
      .documents.offer.update("o-1", ({ value }) => ({ ...value, maxStreams: 7 }));
    const after = await admin(store).get("g");
    expect(after.value.maxStreams).toBe(7);
    expect(after.revision).toBeGreaterThan(before.revision);
    await store.in("acme").documents.offer.delete("o-1", () => {});
    expect((await admin(store).get("g")).value).toEqual(grant("g"));
  });

  scenario("no two have one id, and none that of a transaction", DATA, async (store) => {
    await admin(store).create(grant("g"));
    const pending = createTransaction("g", { status: 1 }).transaction;
    const taken = [
      () => admin(store).create(grant("g", { userId: "other" })),
      () => admin(store).create(grant("g", { projectId: BETA })),
      () => admin(store).create(grant("bought", { userId: "other" })),
      () => store.in("acme").documents.transaction.create(pending, { billingTransactionId: "" }),
    ];
    for (const make of taken) await expect(make()).rejects.toMatchObject(EXISTS);
    await expect(admin(store).create(grant("h", { projectId: "none" }))).rejects.toMatchObject(
      NOT_FOUND,
    );
    expect((await admin(store).get("g")).value.userId).toBe("u");
  });

  scenario("what is deleted is gone, and moved the project", DATA, async (store) => {
    const { revision } = await admin(store).create(grant("g"));
    const error = new Error("no");
    const reject = () => {
      throw error;
    };
    await expect(admin(store).delete("g", reject)).rejects.toBe(error);
    await admin(store).delete("g", (current) => expect(current.revision).toBe(revision));
    expect(await revisionOf(store, ALPHA)).toBe(revision + 1);
    for (const ask of [() => admin(store).get("g"), () => admin(store).delete("g", () => {})]) {
      await expect(ask()).rejects.toMatchObject(NOT_FOUND);
    }
  });

  scenario("an offer knows who was given it", DATA, async (store) => {
    const referrers = () => store.referrers.list({ kind: "offer", id: "o-2", ...IN_ALPHA }, 10);
    await admin(store).create(grant("g", { offerId: "o-2" }));
    expect(await referrers()).toEqual([{ kind: "entitlement", id: "g" }]);
    await admin(store).delete("g", () => {});
    expect(await referrers()).toEqual([]);
  });

  scenario("viewers have what they were given", DATA, async (store) => {
    const endTime = { seconds: 3_000n };
    await admin(store).create(grant("g", { userId: "v", offerId: "o-2", endTime }));
    const covers = (seconds: number) =>
      store.entitlements.covers({
        ...{ projectId: ALPHA, userId: "v", now: new Date(seconds * 1_000) },
        ...{ videoId: "v", eventIds: [], creativeWorkIds: [] },
      });
    const want = { maxStreams: 0, endTime: new Date(3_000_000) };
    expect(await Promise.all([1_999, 2_000, 2_999, 3_000].map(covers))).toEqual([
      undefined,
      want,
      want,
      undefined,
    ]);
  });

  scenario("lists go by id or start, ties by id, on pages of every size", DATA, async (store) => {
    for (const [id, seconds] of [
      ["c", 5n],
      ["a", 5n],
      ["B", 9n],
      ["d", 1n],
      ["é", 5n],
    ] as const) {
      await admin(store).create(grant(id, { startTime: { seconds } }));
    }
    await admin(store).create(grant("beta", { projectId: BETA }));
    const cases = [
      ["id", "asc", ["B", "a", "bought", "c", "d", "é"]],
      ["id", "desc", ["é", "d", "c", "bought", "a", "B"]],
      ["start_time", "asc", ["d", "a", "c", "é", "B", "bought"]],
      ["start_time", "desc", ["bought", "B", "a", "c", "é", "d"]],
    ] as const;
    for (const [field, direction, want] of cases) {
      for (const limit of [1, 2, 3, 10]) {
        const got = await list(store, { order: { field, direction } }, limit);
        expect(got, `${field} ${direction} ${limit}`).toEqual(want);
      }
    }
    expect(await list(store, { parentIds: [BETA] })).toEqual(["beta"]);
    expect(await list(store, { parentIds: [] })).toEqual([]);
  });

  scenario("filters take every field, those of the offer too", DATA, async (store) => {
    await admin(store).create(grant("a", { userId: "U" }));
    await admin(store).create(grant("b", { offerId: "o-2" }));
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['user_id: "u"', ["b", "bought"]],
      ['user_id: "U"', ["a"]],
      ['offer_id: "o-2"', ["b"]],
      ['user_id: "u" and offer_id: "o-1"', ["bought"]],
      ['user_id: "U" or offer_id: "o-2"', ["a", "b"]],
      ['not user_id: "u"', ["a"]],
      ['opens.video_ids: "v"', ["b"]],
      ["max_streams >= 2", ["a", "bought"]],
      ['start_time < "1970-01-01T00:20:00Z"', ["bought"]],
    ];
    for (const [filter, want] of cases) {
      for (const limit of [1, 10]) {
        expect(await list(store, { filter: parseKql(filter) }, limit), filter).toEqual(want);
      }
    }
  });
}
