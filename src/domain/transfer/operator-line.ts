import type { Message } from "@bufbuild/protobuf";
import type { Binding } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { Role } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { OPERATING } from "../access/roles.ts";
import { type DomainError, invalidField } from "../errors.ts";
import { clip } from "../messages/clip.ts";
import type { RecordKind } from "./record.ts";

/**
 * Checks that a line of a file does not grant the permission of `operator`: neither a binding to that role
 * nor a role with its permission. INVALID_ARGUMENT `OPERATOR_FROM_FILE`.
 */
export function checkOperatorLine(kind: RecordKind, message: Message): void {
  if (kind === "binding") {
    const { roleId } = message as Binding;
    if (roleId === "operator") throw fromFile("binding.role_id", roleId);
  }
  if (kind === "role") {
    const { id, permissions } = message as Role;
    if (permissions.includes(OPERATING)) throw fromFile("role.permissions", id);
  }
}

function fromFile(field: string, roleId: string): DomainError {
  return invalidField(
    field,
    "OPERATOR_FROM_FILE",
    `role '${clip(roleId)}' may create organizations and cannot come from a file; an operator grants it through the API`,
  );
}
