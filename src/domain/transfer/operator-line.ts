import type { Message } from "@bufbuild/protobuf";
import type { Binding } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { Role } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { canOperate, findBuiltInRole } from "../access/roles.ts";
import { invalidField } from "../errors.ts";
import type { RecordKind } from "./record.ts";

/**
 * Checks that a line of a file gives nobody what only `operator` may: no binding to the role and no role
 * that holds its permission. INVALID_ARGUMENT `OPERATOR_FROM_FILE`.
 */
export function checkOperatorLine(kind: RecordKind, message: Message): void {
  if (kind === "binding") {
    const { roleId } = message as Binding;
    checkNotOperating(findBuiltInRole(roleId)?.permissions ?? [], "binding.role_id", roleId);
  }
  if (kind === "role") {
    const { id, permissions } = message as Role;
    checkNotOperating(permissions, "role.permissions", id);
  }
}

/** Checks the permissions of a role that a line makes or binds, as {@link checkOperatorLine} does. */
export function checkNotOperating(
  permissions: readonly string[],
  field: string,
  roleId: string,
): void {
  if (!canOperate(permissions)) return;
  throw invalidField(
    field,
    "OPERATOR_FROM_FILE",
    `role '${roleId}' may make organizations, which no file gives; an operator gives it over HTTP`,
  );
}
