import type { Message } from "@bufbuild/protobuf";
import type { AnnotationType } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import type { Binding } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { Organization } from "../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import type { Project } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import type { Role } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { OPERATING } from "../access/roles.ts";
import { checkActionConfiguration } from "../actions/action.ts";
import type { DomainError } from "../base/errors.ts";
import { invalidField } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";
import { findBuiltInRole } from "../built-in-roles.ts";
import type { ContentKind } from "../content/order.ts";
import { type CheckFacts, kindOf } from "../kinds.ts";
import { checkRequired } from "../validation/field-behavior.ts";
import { checkUrls } from "../validation/url-fields.ts";
import { type DocumentRecordKind, pathOf, type RecordItem } from "./record.ts";

/** The target of an action is checked at each attempt, because allowed targets are a setting of the server. */
const FACTS: CheckFacts = { checkTarget: () => {} };

/**
 * Returns a record in its stored form, checked by the rules of the Studio API. Throws INVALID_ARGUMENT or the errors
 * of the kind's own check, with the field's path in the record.
 */
export function checkRecord(
  record: RecordItem<DocumentRecordKind>,
  facts: CheckFacts = FACTS,
): RecordItem<DocumentRecordKind> {
  const { kind: name } = record;
  const kind = kindOf(name);
  const path = pathOf(name);
  const message = kind.normalize?.(record.message) ?? record.message;
  checkRequired(kind.schema, message, path);
  checkUrls(kind.schema, message, path);
  checkImported(name, message, path);
  kind.check(message, path, facts);
  return { ...record, message };
}

/** Checks content, which was parsed from a text of the given length if it is known; see {@link checkRecord}. */
export function checkContentRecord(name: ContentKind, message: Message, length?: number): void {
  const kind = kindOf(name);
  kind.check(message, name, { ...FACTS, ...(length !== undefined && { length }) });
  checkUrls(kind.schema, message, name);
}

/** Checks the rules that only an import can violate. */
function checkImported(name: DocumentRecordKind, message: Message, path: string): void {
  switch (name) {
    case "organization":
    case "project": {
      const { quotas, usage } = message as Organization | Project;
      for (const [field, value] of Object.entries({ quotas, usage })) {
        if (value === undefined) continue;
        const description = "is the installation's and cannot come from a file; omit it";
        throw invalidField(`${path}.${field}`, "QUOTAS_FROM_FILE", description);
      }
      break;
    }
    case "binding": {
      const { roleId } = message as Binding;
      if (roleId === "operator") throw operatorFromFile(`${path}.role_id`, roleId);
      break;
    }
    case "role": {
      const { id, permissions } = message as Role;
      if (permissions.includes(OPERATING)) throw operatorFromFile(`${path}.permissions`, id);
      if (findBuiltInRole(id) === undefined) break;
      const description = `'${clip(id)}' is a built-in role; omit its line`;
      throw invalidField(`${path}.id`, "ROLE_BUILT_IN", description);
    }
    case "annotation_type": {
      // The actions may be missing after a forced deletion.
      const { configuration = {}, conditions = [] } =
        (message as AnnotationType).actionConfiguration ?? {};
      const at = `${path}.action_configuration.`;
      checkActionConfiguration(configuration, conditions, () => true, at);
    }
  }
}

function operatorFromFile(field: string, roleId: string): DomainError {
  return invalidField(
    field,
    "OPERATOR_FROM_FILE",
    `role '${clip(roleId)}' may create organizations and cannot come from a file; an operator grants it through the API`,
  );
}
