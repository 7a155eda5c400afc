import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Dataset, TransactionRecord } from "../../demo/data/dataset-records.ts";
import { CreativeWorkSchema } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { OfferSchema } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { BannerCollectionSchema } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { AnnotationSchema } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { SignInIntegrationSchema } from "../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import {
  TransactionSchema,
  TransactionStatus,
} from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { PageSchema } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { isDelivered, KIND_NAMES, kindOf } from "../../src/domain/kinds.ts";

/** The projects of the small dataset: two of one organization, one of another. */
export const ALPHA = "alpha";
export const BETA = "beta";
export const GAMMA = "gamma";

/** Where resources of the project alpha lie. */
export const IN_ALPHA = { organizationId: "acme", projectId: ALPHA } as const;

/**
 * Creates two organizations with one resource of every type, so that a test adds only what it is
 * about. Resource ids are `<type>-1`; the page `page-1` holds `page_component-1` to `-3`.
 */
export function createSmallDataset(changes: Partial<Dataset> = {}): Dataset {
  const projectId = ALPHA;
  return {
    organizations: [
      { id: "acme", name: "Acme" },
      { id: "other", name: "Other" },
    ],
    projects: [
      { id: BETA, organizationId: "acme", name: "Beta" },
      { id: ALPHA, organizationId: "acme", name: "Alpha" },
      { id: GAMMA, organizationId: "other", name: "Gamma" },
    ],
    accounts: [
      { id: "ann", organizationId: "acme", name: "Ann" },
      { id: "bob", organizationId: "acme", name: "Bob" },
      { id: "eve", organizationId: "other", name: "Eve" },
    ],
    bindings: [
      { accountId: "ann", roleId: "owner", organizationId: "acme" },
      { accountId: "bob", roleId: "viewer", organizationId: "acme", projectId },
      {
        accountId: "bob",
        roleId: "editor",
        organizationId: "acme",
        projectId,
        resource: { kind: "page_component", id: "page_component-2" },
      },
    ],
    entities: [create(EntitySchema, { id: "entity-1", projectId })],
    creativeWorks: [create(CreativeWorkSchema, { id: "creative_work-1", projectId })],
    events: [createEvent("event-1", {})],
    videos: [create(VideoSchema, { id: "video-1", projectId })],
    annotationTypes: [create(AnnotationTypeSchema, { id: "annotation_type-1", projectId })],
    annotations: [create(AnnotationSchema, { id: "annotation-1", projectId, order: 1n })],
    bannerCollections: [create(BannerCollectionSchema, { id: "banner_collection-1", projectId })],
    pages: [
      {
        page: create(PageSchema, { id: "page-1", projectId, slug: "home" }),
        components: [
          createComponent("page_component-1", { groupId: "g" }),
          createComponent("page_component-2", { groupId: "g" }),
          createComponent("page_component-3", {
            type: "filter",
            data: { case: "filter", value: {} },
          }),
        ],
      },
    ],
    rulesets: [create(VideoProtectionRulesetSchema, { id: "ruleset-1", projectId, name: "R" })],
    offers: [create(OfferSchema, { id: "offer-1", projectId })],
    transactions: [createTransaction("transaction-1", {})],
    signInIntegrations: [create(SignInIntegrationSchema, { projectId, audiences: ["web"] })],
    others: KIND_NAMES.filter(isDelivered)
      .filter((kind) => kind !== "banner_collection" && kind !== "offer")
      .map((kind) => {
        const fields = { id: `${kind}-1`, projectId };
        return { kind, message: create(kindOf(kind).schema, fields as never), line: 0 };
      }),
    ...changes,
  };
}

/** Creates a published event of the project alpha without a start time. */
export function createEvent(id: string, init: MessageInitShape<typeof EventSchema>): Event {
  return create(EventSchema, {
    id,
    projectId: ALPHA,
    visibility: Visibility.PUBLISHED,
    ...init,
  } as MessageInitShape<typeof EventSchema>);
}

/** Creates a text component of the project alpha. */
export function createComponent(
  id: string,
  init: MessageInitShape<typeof PageComponentSchema>,
): PageComponent {
  return create(PageComponentSchema, {
    id,
    projectId: ALPHA,
    type: "text",
    data: { case: "text", value: {} },
    ...init,
  } as MessageInitShape<typeof PageComponentSchema>);
}

/** Creates a captured transaction of the project alpha; its billing id is `billing-<id>`. */
export function createTransaction(
  id: string,
  init: MessageInitShape<typeof TransactionSchema>,
  billingTransactionId: string = `billing-${id}`,
): TransactionRecord {
  const transaction = create(TransactionSchema, {
    id,
    projectId: ALPHA,
    status: TransactionStatus.CAPTURED,
    createTime: { seconds: 1_000n },
    totalAmount: { currencyCode: "EUR", units: 1n },
    ...init,
  } as MessageInitShape<typeof TransactionSchema>);
  return { transaction, billingTransactionId };
}
