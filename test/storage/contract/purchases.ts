import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  AccessPeriod,
  type TransactionSchema,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import {
  ALPHA,
  BETA,
  createEvent,
  createSmallDataset,
  createTransaction,
} from "../small-dataset.ts";

/** The moment that the purchases are made for. */
export const NOW = new Date("2026-07-19T19:00:00Z");

const { CAPTURED, PENDING, FAILED, CANCELLED, REFUNDED, UNSPECIFIED } = TransactionStatus;

/** A purchase of the offer `all` ten minutes ago, for good. */
function purchase(
  userId: string,
  init: MessageInitShape<typeof TransactionSchema> = {},
  id: string = `t-${userId}`,
) {
  return createTransaction(id, {
    userId,
    offerId: "all",
    accessPeriod: AccessPeriod.UNLIMITED,
    captureTime: ago(600),
    ...init,
  });
}

function ago(seconds: number) {
  return timestampFromDate(new Date(NOW.getTime() - seconds * 1_000));
}

const OFFERS = [
  ...[
    { id: "all", opens: { everything: true } },
    { id: "four", opens: { everything: true }, maxStreams: 4 },
    { id: "closed", opens: {} },
    { id: "scopeless" },
    {
      id: "some",
      opens: { videoIds: ["v-1"], eventIds: ["e-1"], creativeWorkIds: ["c-1"] },
      maxStreams: 2,
      visibility: Visibility.HIDDEN,
    },
  ].map((init) => create(OfferSchema, { projectId: ALPHA, ...init })),
  create(OfferSchema, { id: "beta", projectId: BETA, opens: { everything: true } }),
];

/** Ids in the order of their code points; the last two are the other way round in UTF-16. */
const SAME_TIME = ["A", "B", "a", "a ", "aa", "é", "\uff61", "\u{1f600}"];
/** The purchases of `user-1` in {@link TIES} that give something, in order. */
export const ORDERED = ["newest", ...SAME_TIME, "oldest"];

/** Many purchases of one user. */
export const TIES = createSmallDataset({
  offers: OFFERS,
  transactions: [
    purchase("user-1", { captureTime: ago(200) }, "oldest"),
    ...SAME_TIME.toReversed().map((id) => purchase("user-1", { captureTime: ago(100) }, id)),
    purchase("user-1", { captureTime: ago(0) }, "newest"),
    // Between the others: these open nothing, and leave no gap.
    purchase("user-1", { captureTime: ago(100), offerId: "closed" }, "AA"),
    purchase("user-1", { captureTime: ago(100), offerId: "gone" }, "b"),
    purchase("user-2", { captureTime: ago(100) }, "C"),
  ],
});

/** Two ids of videos that a filter takes for the same moment. */
export const MOMENT = "2026-01-01T00:00:00Z";
export const SAME_MOMENT = "2026-01-01T01:00:00+01:00";

/** One purchase of each kind, each by a user of its own. */
export const MIXED = createSmallDataset({
  offers: OFFERS,
  events: [
    createEvent("e-1", { videoIds: ["x", "of-e-1", "of-both", MOMENT] }),
    createEvent("c-1", { videoIds: ["of-others", SAME_MOMENT] }),
  ],
  creativeWorks: [
    create(CreativeWorkSchema, {
      ...{ id: "c-1", projectId: ALPHA, visibility: Visibility.HIDDEN },
      videoIds: ["of-c-1", "of-both"],
    }),
    create(CreativeWorkSchema, { id: "e-1", projectId: ALPHA, videoIds: ["of-others"] }),
  ],
  transactions: [
    ...[CAPTURED, PENDING, FAILED, CANCELLED, REFUNDED, UNSPECIFIED].map((status, index) =>
      purchase(["all", "pending", "failed", "cancelled", "refunded", "unknown"][index] ?? "", {
        status,
      }),
    ),
    purchase("all", { projectId: BETA, offerId: "beta" }, "t-beta"),
    purchase("", {}, "t-userless"),
    purchase("offerless", { offerId: "" }),
    purchase("gone", { offerId: "gone" }),
    purchase("closed", { offerId: "closed" }),
    purchase("scopeless", { offerId: "scopeless" }),
    purchase("foreign", { offerId: "beta" }),
    purchase("ended", { accessPeriod: AccessPeriod.DAY, captureTime: ago(86_400) }),
    purchase("future", { captureTime: ago(-1) }),
    purchase("tester", { isTest: true }),
    purchase("whole", {
      offerId: "some",
      accessPeriod: AccessPeriod.DAY,
      captureTime: { ...ago(600), nanos: 123_456_789 },
    }),
    ...["all", "some", "four"].map((offerId) => purchase("several", { offerId }, `s-${offerId}`)),
    ...["all", "some"].map((offerId) => purchase("few", { offerId }, `f-${offerId}`)),
  ],
});
