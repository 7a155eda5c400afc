import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { OfferScopeSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  AccessPeriod,
  BillingPeriod,
  TransactionSchema,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import {
  decideAccess,
  opensAnything,
  opensVideo,
} from "../../../src/domain/monetization/entitlement.ts";
import { openCases } from "../../harness/cases.ts";

const each = openCases("monetization/entitlement");

each<[string, keyof typeof AccessPeriod, string?, string?]>(
  "a period of the calendar ends",
  (start, period, want) => {
    const accessPeriod = AccessPeriod[period];
    const got = decideAccess(purchase({ accessPeriod, captureTime: at(start) }));
    expect(show(got?.start)).toBe(start);
    expect(show(got?.end)).toBe(want);
  },
);

test("a period of the calendar ends: as exactly as it began", () => {
  const captureTime = { seconds: 1n, nanos: 999_999_999 };
  const got = decideAccess(purchase({ accessPeriod: AccessPeriod.DAY, captureTime }));
  expect([got?.end?.seconds, got?.end?.nanos]).toEqual([86_401n, 999_999_999]);
});

describe("without an access period the billing period counts", () => {
  const start = "2026-01-31T10:00:00.000Z";

  each<[keyof typeof BillingPeriod, string?]>(
    "without an access period the billing period counts",
    (period, want) => {
      const captureTime = at(start);
      const billingPeriod = BillingPeriod[period];
      const got = purchase({ accessPeriod: AccessPeriod.UNSPECIFIED, billingPeriod, captureTime });
      expect(show(decideAccess(got)?.end)).toBe(want);
      const unlimited = purchase({
        accessPeriod: AccessPeriod.UNLIMITED,
        billingPeriod,
        captureTime,
      });
      expect(decideAccess(unlimited)?.end).toBeUndefined();
    },
  );
});

describe("what gives access", () => {
  test.each(Object.entries(TransactionStatus))("is what is captured: %s", (name, status) => {
    const got = decideAccess(purchase({ status }));
    expect(got !== undefined).toBe(name === "CAPTURED");
  });

  test("begins with the capture, without one with the purchase", () => {
    const [createTime, captureTime] = [at("2026-01-01T00:00:00Z"), at("2026-01-02T00:00:00Z")];
    const both = decideAccess(purchase({ createTime, captureTime }));
    expect(both?.start).toEqual(captureTime);
    const { captureTime: _, ...uncaptured } = purchase({ createTime });
    expect(decideAccess(uncaptured)?.start).toEqual(createTime);
  });

  test("is a test too, but nobody's purchase and one of nothing are not", () => {
    expect(decideAccess(purchase({ isTest: true }))).toBeDefined();
    expect(decideAccess(purchase({ userId: "" }))).toBeUndefined();
    expect(decideAccess(purchase({ offerId: "" }))).toBeUndefined();
    const { captureTime: _, ...timeless } = purchase({});
    expect(decideAccess(timeless)).toBeUndefined();
  });
});

describe("a scope", () => {
  const watched = {
    ...{ videoId: "v", eventIds: new Set(["e", "f"]), creativeWorkIds: new Set(["c"]) },
  };

  each<[MessageInitShape<typeof OfferScopeSchema>, boolean, boolean]>(
    "a scope",
    (init, anything, video) => {
      const scope = create(OfferScopeSchema, init);
      expect([opensAnything(scope), opensVideo(scope, watched)]).toEqual([anything, video]);
    },
  );
});

function purchase(init: MessageInitShape<typeof TransactionSchema>) {
  return create(TransactionSchema, {
    status: TransactionStatus.CAPTURED,
    userId: "user-1",
    offerId: "offer-1",
    captureTime: at("2026-07-19T19:00:00Z"),
    ...init,
  } as MessageInitShape<typeof TransactionSchema>);
}

function at(text: string): Timestamp {
  return timestampFromDate(new Date(text));
}

function show(time: Timestamp | undefined): string | undefined {
  return time && timestampDate(time).toISOString();
}
