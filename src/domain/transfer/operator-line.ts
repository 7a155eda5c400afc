import type { Message } from "@bufbuild/protobuf";
import type { Binding } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { Role } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { canOperate, findBuiltInRole } from "../access/roles.ts";
import { invalidField } from "../errors.ts";
import { clip } from "../messages/clip.ts";
import type { RecordKind } from "./record.ts";

/**
 * Checks that a line of a file does not grant the permission of `operator`: neither a binding to that role
 * nor a role with its permission. INVALID_ARGUMENT `OPERATOR_FROM_FILE`.
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

/** Checks the permissions of a role that a line creates or binds; see {@link checkOperatorLine}. */
export function checkNotOperating(
  permissions: readonly string[],
  field: string,
  roleId: string,
): void {
  if (!canOperate(permissions)) return;
  throw invalidField(
    field,
    "OPERATOR_FROM_FILE",
    `role '${clip(roleId)}' may create organizations and cannot come from a file; an operator grants it through the API`,
  );
}
