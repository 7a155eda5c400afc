// Generated from proto/ by tools/client-types.ts.

/** The name of a value of the enum svc.cda.ott.banner_collection.v2.FormFactor. */
export type FormFactorName =
  | "FORM_FACTOR_UNSPECIFIED"
  | "FORM_FACTOR_PHONE"
  | "FORM_FACTOR_TABLET"
  | "FORM_FACTOR_DESKTOP"
  | "FORM_FACTOR_TV";

/** The name of a value of the enum svc.studio.annotations.action_run.v1.ActionRunState. */
export type ActionRunStateName =
  | "ACTION_RUN_STATE_UNSPECIFIED"
  | "ACTION_RUN_STATE_PENDING"
  | "ACTION_RUN_STATE_SUCCEEDED"
  | "ACTION_RUN_STATE_FAILED"
  | "ACTION_RUN_STATE_SKIPPED";

/** The name of a value of the enum svc.studio.annotations.annotation.v1.SourceType. */
export type SourceTypeName =
  | "SOURCE_TYPE_UNSPECIFIED"
  | "SOURCE_TYPE_MANUAL"
  | "SOURCE_TYPE_AUTOMATIC"
  | "SOURCE_TYPE_IMPORT";

/** The name of a value of the enum svc.studio.cms.change.v1.ChangeVerb. */
export type ChangeVerbName =
  | "CHANGE_VERB_UNSPECIFIED"
  | "CHANGE_VERB_CREATED"
  | "CHANGE_VERB_UPDATED"
  | "CHANGE_VERB_DELETED";

/** The name of a value of the enum svc.studio.cms.record.v1.RecordOutcome. */
export type RecordOutcomeName =
  | "RECORD_OUTCOME_UNSPECIFIED"
  | "RECORD_OUTCOME_CREATED"
  | "RECORD_OUTCOME_UPDATED"
  | "RECORD_OUTCOME_UNCHANGED"
  | "RECORD_OUTCOME_REJECTED";

/** The name of a value of the enum svc.studio.cms.record.v1.WriteMode. */
export type WriteModeName =
  | "WRITE_MODE_UNSPECIFIED"
  | "WRITE_MODE_TOGETHER"
  | "WRITE_MODE_EACH";

/** The name of a value of the enum svc.studio.cms.release.v1.ConflictKind. */
export type ConflictKindName =
  | "CONFLICT_KIND_UNSPECIFIED"
  | "CONFLICT_KIND_PATH_CHANGED"
  | "CONFLICT_KIND_CURRENT_DELETED"
  | "CONFLICT_KIND_CURRENT_CHANGED"
  | "CONFLICT_KIND_CURRENT_EXISTS";

/** The name of a value of the enum svc.studio.cms.webhook.v1.WebhookEvent. */
export type WebhookEventName =
  | "WEBHOOK_EVENT_UNSPECIFIED"
  | "WEBHOOK_EVENT_CREATED"
  | "WEBHOOK_EVENT_UPDATED"
  | "WEBHOOK_EVENT_DELETED"
  | "WEBHOOK_EVENT_PUBLISHED"
  | "WEBHOOK_EVENT_UNPUBLISHED"
  | "WEBHOOK_EVENT_SCHEDULED"
  | "WEBHOOK_EVENT_APPLIED"
  | "WEBHOOK_EVENT_FAILED";

/** The name of a value of the enum svc.studio.iam.access_token.v1.AccessTokenKind. */
export type AccessTokenKindName =
  | "ACCESS_TOKEN_KIND_UNSPECIFIED"
  | "ACCESS_TOKEN_KIND_TOKEN"
  | "ACCESS_TOKEN_KIND_SESSION";

/** The name of a value of the enum svc.studio.iam.project_key.v1.ProjectKeyKind. */
export type ProjectKeyKindName =
  | "PROJECT_KEY_KIND_UNSPECIFIED"
  | "PROJECT_KEY_KIND_PUBLIC"
  | "PROJECT_KEY_KIND_PREVIEW";

/** The name of a value of the enum svc.studio.monetization.transaction.v1.AccessPeriod. */
export type AccessPeriodName =
  | "ACCESS_PERIOD_UNSPECIFIED"
  | "ACCESS_PERIOD_UNLIMITED"
  | "ACCESS_PERIOD_DAY"
  | "ACCESS_PERIOD_WEEK"
  | "ACCESS_PERIOD_MONTH"
  | "ACCESS_PERIOD_YEAR";

/** The name of a value of the enum svc.studio.monetization.transaction.v1.BillingPeriod. */
export type BillingPeriodName =
  | "BILLING_PERIOD_UNSPECIFIED"
  | "BILLING_PERIOD_ONE_TIME"
  | "BILLING_PERIOD_DAY"
  | "BILLING_PERIOD_WEEK"
  | "BILLING_PERIOD_MONTH"
  | "BILLING_PERIOD_YEAR";

/** The name of a value of the enum svc.studio.monetization.transaction.v1.TransactionStatus. */
export type TransactionStatusName =
  | "TRANSACTION_STATUS_UNSPECIFIED"
  | "TRANSACTION_STATUS_PENDING"
  | "TRANSACTION_STATUS_CAPTURED"
  | "TRANSACTION_STATUS_FAILED"
  | "TRANSACTION_STATUS_CANCELLED"
  | "TRANSACTION_STATUS_REFUNDED";

/** The name of a value of the enum svc.studio.ott.page.v1.PageObject. */
export type PageObjectName =
  | "PAGE_OBJECT_UNSPECIFIED"
  | "PAGE_OBJECT_EVENT"
  | "PAGE_OBJECT_ENTITY"
  | "PAGE_OBJECT_CREATIVE_WORK";

/** The name of a value of the enum svc.studio.ott.page_component.v2.BannerCollectionGradient. */
export type BannerCollectionGradientName =
  | "BANNER_COLLECTION_GRADIENT_UNSPECIFIED"
  | "BANNER_COLLECTION_GRADIENT_TOP"
  | "BANNER_COLLECTION_GRADIENT_BOTTOM"
  | "BANNER_COLLECTION_GRADIENT_LEFT"
  | "BANNER_COLLECTION_GRADIENT_RIGHT";

/** The name of a value of the enum svc.studio.ott.page_component.v2.BannerCollectionV2SizeStrategy. */
export type BannerCollectionV2SizeStrategyName =
  | "BANNER_COLLECTION_V2_SIZE_STRATEGY_UNSPECIFIED"
  | "BANNER_COLLECTION_V2_SIZE_STRATEGY_IMAGE_HEIGHT"
  | "BANNER_COLLECTION_V2_SIZE_STRATEGY_CONTENT_HEIGHT"
  | "BANNER_COLLECTION_V2_SIZE_STRATEGY_RELATIVE_HEIGHT";

/** The name of a value of the enum svc.studio.ott.page_component.v2.BannerCollectionV2TransitionEffect. */
export type BannerCollectionV2TransitionEffectName =
  | "BANNER_COLLECTION_V2_TRANSITION_EFFECT_UNSPECIFIED"
  | "BANNER_COLLECTION_V2_TRANSITION_EFFECT_FADE"
  | "BANNER_COLLECTION_V2_TRANSITION_EFFECT_SLIDE";

/** The name of a value of the enum svc.studio.ott.page_component.v2.BaseType. */
export type BaseTypeName =
  | "BASE_TYPE_UNSPECIFIED"
  | "BASE_TYPE_EVENT"
  | "BASE_TYPE_CREATIVE_WORK"
  | "BASE_TYPE_ENTITY";

/** The name of a value of the enum svc.studio.ott.page_component.v2.BorderRadius. */
export type BorderRadiusName =
  | "BORDER_RADIUS_UNSPECIFIED"
  | "BORDER_RADIUS_NONE"
  | "BORDER_RADIUS_SMALL"
  | "BORDER_RADIUS_MEDIUM"
  | "BORDER_RADIUS_LARGE";

/** The name of a value of the enum svc.studio.streaming.ruleset.v2.Availability. */
export type AvailabilityName =
  | "AVAILABILITY_UNSPECIFIED"
  | "AVAILABILITY_BEFORE"
  | "AVAILABILITY_OPEN"
  | "AVAILABILITY_AFTER";

/** The name of a value of the enum svc.studio.streaming.ruleset.v2.Decision. */
export type DecisionName =
  | "DECISION_UNSPECIFIED"
  | "DECISION_ALLOW"
  | "DECISION_DENY";

/** The name of a value of the enum svc.type.v1.ConflictPolicy. */
export type ConflictPolicyName =
  | "CONFLICT_POLICY_UNSPECIFIED"
  | "CONFLICT_POLICY_REJECT"
  | "CONFLICT_POLICY_RELEASE_WINS";

/** The name of a value of the enum svc.type.v1.ReleaseState. */
export type ReleaseStateName =
  | "RELEASE_STATE_UNSPECIFIED"
  | "RELEASE_STATE_OPEN"
  | "RELEASE_STATE_SCHEDULED"
  | "RELEASE_STATE_APPLIED"
  | "RELEASE_STATE_FAILED";

/** The name of a value of the enum svc.type.v1.Visibility. */
export type VisibilityName =
  | "VISIBILITY_UNSPECIFIED"
  | "VISIBILITY_PUBLISHED"
  | "VISIBILITY_UNLISTED"
  | "VISIBILITY_HIDDEN";

/** The names of the values of fields that are enums, by the name of the message. */
export interface EnumNames {
  "svc.cda.cms.creative_work.v1.CreativeWork": {
    visibility: VisibilityName;
  };
  "svc.cda.cms.entity.v1.Entity": {
    visibility: VisibilityName;
  };
  "svc.cda.cms.event.v1.Event": {
    visibility: VisibilityName;
  };
  "svc.cda.monetization.offer.v1.Offer": {
    visibility: VisibilityName;
  };
  "svc.cda.monetization.offer.v1.OfferPrice": {
    billingPeriod: BillingPeriodName;
    accessPeriod: AccessPeriodName;
  };
  "svc.cda.ott.banner_collection.v2.BannerCollection": {
    visibility: VisibilityName;
  };
  "svc.cda.ott.banner_collection.v2.BannerImage": {
    formFactor: FormFactorName;
  };
  "svc.studio.annotations.action_run.v1.ActionRun": {
    state: ActionRunStateName;
  };
  "svc.studio.annotations.annotation.v1.Annotation": {
    visibility: VisibilityName;
    sourceType: SourceTypeName;
  };
  "svc.studio.annotations.annotation.v1.CreateAnnotationRequest": {
    sourceType: SourceTypeName;
    visibility: VisibilityName;
  };
  "svc.studio.annotations.annotation.v1.SetAnnotationVisibilityRequest": {
    visibility: VisibilityName;
  };
  "svc.studio.cms.change.v1.ChangedResource": {
    verb: ChangeVerbName;
  };
  "svc.studio.cms.record.v1.RecordResult": {
    outcome: RecordOutcomeName;
  };
  "svc.studio.cms.record.v1.WriteRecordsRequest": {
    mode: WriteModeName;
  };
  "svc.studio.cms.release.v1.Conflict": {
    kind: ConflictKindName;
  };
  "svc.studio.cms.webhook.v1.Webhook": {
    events: WebhookEventName;
  };
  "svc.studio.iam.access_token.v1.AccessToken": {
    kind: AccessTokenKindName;
  };
  "svc.studio.iam.project_key.v1.ProjectKey": {
    kind: ProjectKeyKindName;
  };
  "svc.studio.monetization.billing_integration.v1.BillingEventResult": {
    status: TransactionStatusName;
  };
  "svc.studio.monetization.transaction.v1.Transaction": {
    status: TransactionStatusName;
    billingPeriod: BillingPeriodName;
    accessPeriod: AccessPeriodName;
  };
  "svc.studio.ott.page.v1.Page": {
    object: PageObjectName;
    visibility: VisibilityName;
  };
  "svc.studio.ott.page_component.v1.PageComponent": {
    visibility: VisibilityName;
  };
  "svc.studio.ott.page_component.v2.BannerCollection": {
    gradients: BannerCollectionGradientName;
  };
  "svc.studio.ott.page_component.v2.BannerCollectionV2": {
    transitionEffect: BannerCollectionV2TransitionEffectName;
    sizeStrategy: BannerCollectionV2SizeStrategyName;
    borderRadius: BorderRadiusName;
  };
  "svc.studio.ott.page_component.v2.Filter": {
    chipBorderRadius: BorderRadiusName;
  };
  "svc.studio.ott.page_component.v2.PageComponent": {
    visibility: VisibilityName;
  };
  "svc.studio.ott.page_component.v2.Rail": {
    type: BaseTypeName;
  };
  "svc.studio.streaming.ruleset.v2.SimulateRulesetsResponse": {
    decision: DecisionName;
    availability: AvailabilityName;
  };
  "svc.type.v1.Release": {
    state: ReleaseStateName;
    conflictPolicy: ConflictPolicyName;
  };
}
