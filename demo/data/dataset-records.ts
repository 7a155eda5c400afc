import { create, type Message } from "@bufbuild/protobuf";
import type { CreativeWork } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import type { Entity } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import type { Event } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { Offer } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { BannerCollection } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { Action } from "../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { Annotation } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationType } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { AccountSchema } from "../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { OrganizationSchema } from "../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import { ProjectSchema } from "../../gen/svc/studio/iam/project/v1/project_pb.ts";
import type { SignInIntegration } from "../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { Transaction } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { Page } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { VideoProtectionRuleset } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { Video } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { printResourceKey } from "../../src/domain/access/permissions.ts";
import { checkTransaction } from "../../src/domain/monetization/transaction-state.ts";
import type { RecordItem, RecordKind } from "../../src/domain/records/record.ts";

/** An organization: the tenant. */
export interface OrganizationRecord {
  readonly id: string;
  readonly name: string;
}

/** A project of an organization, which owns content, keys and viewers. */
export interface ProjectRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
}

/** An account of an organization. */
export interface AccountRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
}

/** Grants an account a role on an organization, a project or one resource. */
export interface BindingRecord {
  readonly accountId: string;
  /** The id of a built-in role. */
  readonly roleId: string;
  readonly organizationId: string;
  readonly projectId?: string;
  readonly resource?: { readonly kind: string; readonly id: string };
}

/** A page with its components in order. */
export interface PageRecord {
  readonly page: Page;
  readonly components: readonly PageComponent[];
}

/** A transaction and its id at the billing provider. */
export interface TransactionRecord {
  readonly transaction: Transaction;
  readonly billingTransactionId: string;
}

/** All resources of some organizations except credentials; no list element refers to a later one. */
export interface Dataset {
  readonly organizations: readonly OrganizationRecord[];
  readonly projects: readonly ProjectRecord[];
  readonly accounts: readonly AccountRecord[];
  readonly bindings: readonly BindingRecord[];
  readonly entities: readonly Entity[];
  readonly creativeWorks: readonly CreativeWork[];
  readonly events: readonly Event[];
  readonly videos: readonly Video[];
  /** Default: none. */
  readonly actions?: readonly Action[];
  readonly annotationTypes: readonly AnnotationType[];
  readonly annotations: readonly Annotation[];
  readonly bannerCollections: readonly BannerCollection[];
  readonly pages: readonly PageRecord[];
  readonly rulesets: readonly VideoProtectionRuleset[];
  readonly offers: readonly Offer[];
  readonly transactions: readonly TransactionRecord[];
  readonly signInIntegrations: readonly SignInIntegration[];
  /** Resources of any other kinds. Default: none. */
  readonly others?: readonly RecordItem[];
}

/** Yields the records of a dataset, parents first. */
export function* toRecords(dataset: Dataset): Generator<RecordItem> {
  const lists: readonly (readonly [RecordKind, readonly Message[]])[] = [
    ["organization", dataset.organizations.map((it) => create(OrganizationSchema, it))],
    ["project", dataset.projects.map((it) => create(ProjectSchema, it))],
    ["account", dataset.accounts.map((it) => create(AccountSchema, it))],
    ["binding", dataset.bindings.map(toBinding)],
    ["sign_in_integration", dataset.signInIntegrations],
    ["entity", dataset.entities],
    ["creative_work", dataset.creativeWorks],
    ["event", dataset.events],
    ["video", dataset.videos],
    ["action", dataset.actions ?? []],
    ["annotation_type", dataset.annotationTypes],
    ["annotation", dataset.annotations],
    ["banner_collection", dataset.bannerCollections],
    ["page", dataset.pages.map(({ page }) => page)],
    ["ruleset", dataset.rulesets],
    ["offer", dataset.offers],
  ];
  for (const [kind, messages] of lists) {
    for (const message of messages) yield { kind, message, line: 0 };
  }
  yield* dataset.others ?? [];
  for (const { page, components } of dataset.pages) {
    for (const message of components) {
      yield { kind: "page_component", message, line: 0, pageId: page.id };
    }
  }
  for (const { transaction, billingTransactionId } of dataset.transactions) {
    checkTransaction(transaction, "transaction");
    yield { kind: "transaction", message: transaction, line: 0, billingTransactionId };
  }
}

function toBinding(record: BindingRecord, index: number): Message {
  const { accountId, roleId, organizationId, projectId, resource } = record;
  const target = resource ?? (projectId && { kind: "project", id: projectId });
  const key = target || { kind: "organization", id: organizationId };
  return create(BindingSchema, {
    id: `${accountId}-${roleId}-${index}`,
    organizationId,
    accountId,
    roleId,
    resourceKey: printResourceKey({ ...key, ...(projectId !== undefined && { projectId }) }),
  });
}
