import { type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { Insertable, Transaction } from "kysely";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { SignInIntegrationSchema } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import {
  TransactionSchema,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import type { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { BUILT_IN_ROLES } from "../../domain/roles.ts";
import type { ContentBatch } from "../content-import.ts";
import type { Dataset, TransactionRecord } from "../dataset.ts";
import { toAnnotationColumns } from "./annotations.ts";
import { type Content, toContentBatch } from "./content/content-rows.ts";
import { createContentWriter } from "./content/content-writer.ts";
import { toEntitlementRows } from "./entitlements.ts";
import type { DocumentRow, Schema } from "./schema.ts";
import { toMicros } from "./times.ts";

/** The revision of everything that is loaded: the first of its project. */
const REVISION = 1;

/** Rows an INSERT takes at most, well below an engine's limit of bound values. */
const CHUNK = 500;

/** Writes a dataset into an empty database; the caller's transaction makes it all or nothing. */
export async function loadDataset(tx: Transaction<Schema>, dataset: Dataset): Promise<void> {
  const taken = await tx.selectFrom("organization").select("id").limit(1).executeTakeFirst();
  if (taken !== undefined) {
    throw new DomainError(
      Code.FAILED_PRECONDITION,
      "DATABASE_NOT_EMPTY",
      "a dataset is loaded into an empty database only",
    );
  }
  const insert = <Table extends keyof Schema>(
    table: Table,
    rows: readonly Insertable<Schema[Table]>[],
  ) => insertRows(tx, table, rows);

  await insert(
    "role",
    BUILT_IN_ROLES.map((role) => ({ id: role.id, permissions: JSON.stringify(role.permissions) })),
  );
  await insert("organization", dataset.organizations);
  await insert(
    "project",
    dataset.projects.map((it) => ({
      id: it.id,
      organization_id: it.organizationId,
      name: it.name,
      revision: REVISION,
    })),
  );
  await insert(
    "account",
    dataset.accounts.map((it) => ({
      id: it.id,
      organization_id: it.organizationId,
      name: it.name,
    })),
  );
  await insert(
    "binding",
    dataset.bindings.map((it) => ({
      account_id: it.accountId,
      role_id: it.roleId,
      organization_id: it.organizationId,
      project_id: it.projectId ?? null,
      resource_type: it.resource?.type ?? null,
      resource_id: it.resource?.id ?? null,
    })),
  );
  await insert("video", documents(VideoSchema, dataset.videos));
  const content = await createContentWriter(tx);
  for (const batch of toBatches(dataset)) await content.write(batch, () => REVISION);
  await content.end();
  await insert("annotation_type", documents(AnnotationTypeSchema, dataset.annotationTypes));
  await insert(
    "annotation",
    dataset.annotations.map((it) => ({
      ...visible(AnnotationSchema, it),
      ...toAnnotationColumns(it),
    })),
  );
  await insert(
    "banner_collection",
    dataset.bannerCollections.map((it) => visible(BannerCollectionSchema, it)),
  );
  await insert(
    "offer",
    dataset.offers.map((it) => ({ ...visible(OfferSchema, it), position: it.position })),
  );
  await insert(
    "page",
    dataset.pages.map(({ page }) => ({ ...visible(PageSchema, page), slug: page.slug })),
  );
  await insert(
    "page_component",
    dataset.pages.flatMap(({ page, components }) =>
      components.map((it, position) => ({
        ...visible(PageComponentSchema, it),
        page_id: page.id,
        position,
        group_id: it.groupId,
        is_filter: it.data.case === "filter" ? 1 : 0,
      })),
    ),
  );
  await insert("ruleset", documents(VideoProtectionRulesetSchema, dataset.rulesets));
  await insert(
    "sign_in_integration",
    dataset.signInIntegrations.map((it) => ({
      project_id: it.projectId,
      revision: REVISION,
      doc: toBinary(SignInIntegrationSchema, it),
    })),
  );
  await insert("transaction_record", dataset.transactions.map(toTransactionRow));
  await insert(
    "entitlement",
    dataset.transactions.flatMap(({ transaction }) => toEntitlementRows(transaction)),
  );
}

function* toBatches({ entities, creativeWorks, events }: Dataset): Generator<ContentBatch> {
  const contents: readonly Content[] = [
    ...entities.map((message) => ({ kind: "entity" as const, message, line: 0 })),
    ...creativeWorks.map((message) => ({ kind: "creative_work" as const, message, line: 0 })),
    ...events.map((message) => ({ kind: "event" as const, message, line: 0 })),
  ];
  for (let from = 0; from < contents.length; from += CHUNK) {
    yield toContentBatch(contents.slice(from, from + CHUNK));
  }
}

async function insertRows<Table extends keyof Schema>(
  tx: Transaction<Schema>,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += CHUNK) {
    await tx
      .insertInto(table)
      .values(rows.slice(from, from + CHUNK))
      .execute();
  }
}

type Identified = { readonly id: string; readonly projectId: string };

function document<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc> & Identified,
): DocumentRow {
  return {
    id: message.id,
    project_id: message.projectId,
    revision: REVISION,
    doc: toBinary<DescMessage>(schema, message),
  };
}

function visible<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc> & Identified & { readonly visibility: Visibility },
) {
  return { ...document(schema, message), visibility: message.visibility };
}

function documents<Desc extends DescMessage>(
  schema: Desc,
  messages: readonly (MessageShape<Desc> & Identified)[],
): DocumentRow[] {
  return messages.map((message) => document(schema, message));
}

function toTransactionRow({ transaction, billingTransactionId }: TransactionRecord) {
  const { createTime, totalAmount } = transaction;
  if (createTime === undefined) {
    throw new DomainError(
      Code.INVALID_ARGUMENT,
      "CREATE_TIME_REQUIRED",
      `transaction ${transaction.id} has no create_time`,
    );
  }
  return {
    ...document(TransactionSchema, transaction),
    billing_transaction_id: billingTransactionId,
    create_time: toMicros(createTime),
    is_revenue:
      transaction.status === TransactionStatus.CAPTURED && !transaction.isTest && totalAmount
        ? 1
        : 0,
    currency_code: totalAmount?.currencyCode ?? "",
    units: totalAmount?.units ?? 0n,
    nanos: totalAmount?.nanos ?? 0,
  };
}
