import { create, fromJson, type JsonObject } from "@bufbuild/protobuf";
import type { Dataset, TransactionRecord } from "../../../demo/data/dataset-records.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { SignInIntegrationSchema } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { TransactionSchema } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { type DeliveredKind, isDelivered, KIND_NAMES, kindOf } from "../../../src/domain/kinds.ts";
import type { RecordItem } from "../../../src/domain/records/record.ts";
import { createPublishedContent, createVariantContent, type LeakContent } from "./content.ts";
import { createFilled } from "./filled-message.ts";
import { createPublishedPages, createVariantPages } from "./pages.ts";
import {
  INTERNAL_WORD,
  OTHER_PROJECT,
  PROJECT,
  TARGETS,
  VARIANTS,
  type Variant,
  type VariantName,
  VIEWER,
} from "./variants.ts";

/** The audience of identity tokens that are taken. */
export const AUDIENCE = "website";

/** The organization of both projects. */
export const ORGANIZATION = "acme";
const INTERNAL = { id: "internal-1", projectId: PROJECT };

/**
 * Creates a project of published things that refer to all variants, and the things of some of these,
 * so that datasets differ in what the caller may not see and in nothing else.
 */
export function createLeakDataset(names: readonly VariantName[]): Dataset {
  const variants = names.map((name) => VARIANTS[name]);
  const contents = [createPublishedContent(), ...variants.map(createVariantContent)];
  const collect = <Key extends keyof LeakContent>(key: Key) =>
    contents.flatMap((it): LeakContent[Key][number][] => [...it[key]]);
  return {
    ...createInternal(),
    entities: collect("entities"),
    creativeWorks: collect("creativeWorks"),
    events: collect("events"),
    annotations: [
      ...createPublishedAnnotations(),
      ...variants.flatMap((variant) => createAnnotations(variant)),
    ],
    bannerCollections: [],
    pages: [...createPublishedPages(variants), ...variants.flatMap(createVariantPages)],
    offers: [...createPublishedOffers(), ...variants.flatMap(createOffers)],
    others: KIND_NAMES.filter(isDelivered)
      .filter((kind) => kind !== "offer")
      .flatMap((kind) => createDelivered(kind, variants)),
  };
}

/** The fields of published resources that refer to hidden ones. */
const REFERRING: Readonly<Partial<Record<DeliveredKind, JsonObject>>> = {
  banner_collection: {
    banners: [{ title: { en: "Xylophones" }, link: "/event?id=event-hidden-0" }],
  },
};

/** Creates a published resource of a kind, and the resources of variants. */
function createDelivered(kind: DeliveredKind, variants: readonly Variant[]): RecordItem[] {
  const { schema } = kindOf(kind);
  const published = { projectId: PROJECT, visibility: "VISIBILITY_PUBLISHED" };
  const filled = variants.flatMap(({ name, word, ...rest }) =>
    [`${kind}-${name}`, `${word}-${kind}`].map((id) => createFilled(schema, word, { ...rest, id })),
  );
  const shown = fromJson(schema, { ...published, id: `${kind}-1`, ...REFERRING[kind] });
  return [shown, ...filled].map((message) => ({ kind, message, line: 0 }));
}

/** What delivery shows to nobody is full of a word of its own. */
function createInternal() {
  const names = { organizationId: ORGANIZATION, name: INTERNAL_WORD };
  return {
    organizations: [{ id: ORGANIZATION, name: INTERNAL_WORD }],
    projects: [
      { ...names, id: PROJECT },
      { ...names, id: OTHER_PROJECT },
    ],
    accounts: [{ ...names, id: "ann" }],
    bindings: [],
    videos: [
      createFilled(VideoSchema, INTERNAL_WORD, { ...INTERNAL, id: "video-1" }),
      createFilled(VideoSchema, INTERNAL_WORD, {
        ...{ ...INTERNAL, id: "video-2" },
        playlistUrl: "https://media.example/video-2/playlist.m3u8",
      }),
      createFilled(VideoSchema, INTERNAL_WORD, {
        ...{ ...INTERNAL, id: "video-ended", availability: { endTime: "2026-03-10T12:00:00Z" } },
        playlistUrl: "https://media.example/video-2/playlist.m3u8",
      }),
      createFilled(VideoSchema, INTERNAL_WORD, {
        ...{ id: "video-foreign-1", projectId: OTHER_PROJECT },
        playlistUrl: "https://media.example/video-2/playlist.m3u8",
      }),
    ],
    annotationTypes: [createFilled(AnnotationTypeSchema, INTERNAL_WORD, INTERNAL)],
    rulesets: [
      createFilled(VideoProtectionRulesetSchema, INTERNAL_WORD, {
        ...INTERNAL,
        geoRestrictionsDisallow: { countryCodes: ["DE"] },
        target: { videoIds: ["video-1"] },
      }),
    ],
    transactions: [
      {
        transaction: createFilled(TransactionSchema, INTERNAL_WORD, {
          ...INTERNAL,
          createTime: "2026-03-01T00:00:00Z",
        }),
        billingTransactionId: INTERNAL_WORD,
      },
      ...createPurchases(),
    ],
    signInIntegrations: [
      create(SignInIntegrationSchema, {
        projectId: PROJECT,
        audiences: [INTERNAL_WORD, AUDIENCE],
      }),
    ],
  };
}

/** Published annotations of a published event, and of the events of all variants. */
function createPublishedAnnotations(): Annotation[] {
  const toAnnotation = (id: string, eventId: string, seconds: number) =>
    fromJson(AnnotationSchema, {
      ...{ id, eventId, projectId: PROJECT, visibility: "VISIBILITY_PUBLISHED" },
      ...{ videoId: "video-1", offset: `${seconds}s`, creativeWorkId: "work-hidden-0" },
      entityIds: TARGETS.map((target) => `entity-${target}-0`),
    });
  return [
    ...Array.from({ length: 12 }, (_, index) =>
      toAnnotation(`annotation-${index}`, "event-1", index * 60),
    ),
    ...TARGETS.map((target, index) =>
      toAnnotation(`annotation-of-${target}`, `event-${target}-0`, index),
    ),
  ];
}

function createAnnotations({ name, word, ...rest }: Variant): Annotation[] {
  return [0, 90, 100_000].map((seconds, index) =>
    createFilled(AnnotationSchema, word, {
      ...rest,
      // Annotations have no windows.
      ...(rest.availability && { visibility: "VISIBILITY_HIDDEN" }),
      id: index < 2 ? `annotation-${name}-${index}` : `${word}-annotation`,
      videoId: "video-1",
      eventId: "event-1",
      offset: `${seconds}s`,
    }),
  );
}

/** Purchases of published offers, of what is not there for all, and of another project's offer. */
function createPurchases(): TransactionRecord[] {
  const bought = [
    ...["offer-0", "offer-1", "offer-2", "offer-foreign-0", "offer-missing-0"].map(
      (offerId) => [offerId, PROJECT] as const,
    ),
    ["offer-foreign-1", OTHER_PROJECT],
  ] as const;
  return bought.map(([offerId, projectId], index) => ({
    transaction: createFilled(TransactionSchema, INTERNAL_WORD, {
      ...{ id: `purchase-${index}`, projectId, userId: VIEWER, offerId },
      ...{ status: "TRANSACTION_STATUS_CAPTURED", accessPeriod: "ACCESS_PERIOD_UNLIMITED" },
      ...{ createTime: "2026-03-01T00:00:00Z", captureTime: "2026-03-01T00:00:00Z" },
    }),
    billingTransactionId: INTERNAL_WORD,
  }));
}

function createPublishedOffers() {
  return Array.from({ length: 8 }, (_, index) =>
    fromJson(OfferSchema, {
      ...{ id: `offer-${index}`, projectId: PROJECT, visibility: "VISIBILITY_PUBLISHED" },
      position: index * 10,
      title: { en: "Pass" },
      opens: { eventIds: TARGETS.map((target) => `event-${target}-0`) },
    }),
  );
}

function createOffers({ name, word, ...rest }: Variant) {
  return [-5, 15, 90].map((position, index) =>
    createFilled(OfferSchema, word, {
      ...rest,
      id: index < 2 ? `offer-${name}-${index}` : `${word}-offer`,
      position,
    }),
  );
}
