import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { Action } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { Binding } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { Organization } from "../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import type { Project } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import type { Role } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import type { SignInIntegration } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { Transaction } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { checkAudiences } from "../access/audiences.ts";
import { checkBindable } from "../access/binding.ts";
import { checkRole, findBuiltInRole } from "../access/roles.ts";
import { checkAction } from "../actions/action.ts";
import { checkAnnotation } from "../annotations/annotation.ts";
import { checkCreativeWork, checkEntity, checkEvent } from "../content/content.ts";
import type { ContentKind } from "../content/order.ts";
import { checkVideo } from "../content/video.ts";
import { blameField, DomainError, invalidField } from "../errors.ts";
import { checkAddresses } from "../messages/address-fields.ts";
import { clip } from "../messages/clip.ts";
import { checkRequired } from "../messages/field-behavior.ts";
import { parseResourceKey } from "../messages/resource-key.ts";
import { checkOffer } from "../monetization/offer.ts";
import { checkBannerCollection } from "../pages/banner-collection.ts";
import { checkPageComponent } from "../pages/components/check.ts";
import { checkPage } from "../pages/page.ts";
import { checkRuleset, normalizeRuleset } from "../protection/ruleset.ts";
import { type DocumentRecordKind, pathOf, RECORD_SCHEMAS, type RecordItem } from "./record.ts";

/** The rules of a kind of resource in the management interface, beside its REQUIRED fields. */
interface RecordRules {
  /** Returns the message in its stored form. */
  readonly normalize?: (message: never) => Message;
  /** Checks a message; errors name fields below `path`. */
  readonly check?: (message: never, path: string) => void;
  /** The prefix of field names in errors of `check`; default: `path`. */
  readonly checkedAs?: string;
}

/** The rules by kind; a kind without an entry has only its REQUIRED fields. */
const RULES: { readonly [Kind in DocumentRecordKind]?: RecordRules } = {
  // The target is checked at each attempt, as allowed targets are a setting of the server.
  action: { check: (action: Action, path) => checkAction(action, path, () => {}) },
  annotation: { check: checkAnnotation },
  banner_collection: { check: checkBannerCollection },
  binding: { check: checkImportedBinding },
  offer: { check: checkOffer },
  organization: { check: checkWithoutQuotas },
  page: { check: checkPage },
  page_component: { check: checkPageComponent },
  project: { check: checkWithoutQuotas },
  role: { check: checkImportedRole },
  ruleset: {
    normalize: normalizeRuleset,
    check: checkRuleset,
    checkedAs: "video_protection_ruleset.",
  },
  sign_in_integration: {
    check: ({ audiences }: SignInIntegration) => checkAudiences(audiences),
    checkedAs: "",
  },
  transaction: { check: checkTransaction },
  video: { check: checkVideo },
};

/**
 * Returns a record in its stored form, checked by the rules of the management interface. Throws
 * INVALID_ARGUMENT or the errors of the kind's own check, with the field's path in the record.
 */
export function checkRecord(
  record: RecordItem<DocumentRecordKind>,
): RecordItem<DocumentRecordKind> {
  const { kind } = record;
  const rules: RecordRules = RULES[kind] ?? {};
  const path = pathOf(kind);
  const schema: DescMessage = RECORD_SCHEMAS[kind];
  const message = rules.normalize?.(record.message as never) ?? record.message;
  checkRequired(schema, message, path);
  try {
    checkAddresses(schema, message, path);
    rules.check?.(message as never, path);
  } catch (fault) {
    throw rules.checkedAs === undefined ? fault : renameFields(fault, rules.checkedAs, `${path}.`);
  }
  return { ...record, message };
}

/** The rules of each kind of content. */
const CONTENT_CHECKS: {
  readonly [Kind in ContentKind]: (message: never, path: string, length: number) => void;
} = { creative_work: checkCreativeWork, entity: checkEntity, event: checkEvent };

/** Checks content that was parsed from a text of the given length; see {@link checkRecord}. */
export function checkContentRecord(kind: ContentKind, message: Message, length: number): void {
  CONTENT_CHECKS[kind](message as never, kind, length);
  checkAddresses(RECORD_SCHEMAS[kind], message, kind);
}

/** Checks that a transaction has a creation time, by which lists are ordered. */
export function checkTransaction({ id, createTime }: Transaction, path: string): void {
  if (createTime !== undefined) return;
  throw invalidField(
    `${path}.create_time`,
    "CREATE_TIME_REQUIRED",
    `is required for transaction '${clip(id)}'`,
  );
}

function checkImportedBinding({ resourceKey }: Binding, path: string): void {
  const field = `${path}.resource_key`;
  const key = blameField(field, () => parseResourceKey(resourceKey));
  checkBindable(key, field);
}

function checkWithoutQuotas({ quotas, usage }: Organization | Project, path: string): void {
  for (const [field, value] of Object.entries({ quotas, usage })) {
    if (value === undefined) continue;
    const description = "is the installation's and cannot come from a file; omit it";
    throw invalidField(`${path}.${field}`, "QUOTAS_FROM_FILE", description);
  }
}

function checkImportedRole(role: Role, path: string): void {
  if (findBuiltInRole(role.id) !== undefined) {
    throw invalidField(
      `${path}.id`,
      "ROLE_BUILT_IN",
      `'${clip(role.id)}' is a built-in role; omit its line`,
    );
  }
  checkRole(role, path);
}

function renameFields(fault: unknown, from: string, to: string): unknown {
  if (!(fault instanceof DomainError)) return fault;
  const rename = (text: string) => (text.startsWith(from) ? to + text.slice(from.length) : text);
  const { code, reason, message, fields, metadata } = fault;
  return new DomainError(code, reason, rename(message), {
    fields: fields.map((it) => ({ ...it, field: rename(it.field) })),
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([name, text]) => [
        name,
        name === "field" ? rename(text) : text,
      ]),
    ),
  });
}
