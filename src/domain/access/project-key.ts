import {
  type ProjectKey,
  ProjectKeyKind,
} from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { checkField } from "../base/field-errors.ts";

/** Checks a key of a project; errors name fields below `path`. INVALID_ARGUMENT `KIND_INVALID`. */
export function checkProjectKey({ kind }: ProjectKey, path: string): void {
  const isKind = kind === ProjectKeyKind.PUBLIC || kind === ProjectKeyKind.PREVIEW;
  const description = "must be PROJECT_KEY_KIND_PUBLIC or PROJECT_KEY_KIND_PREVIEW";
  checkField(isKind, `${path}.kind`, "KIND_INVALID", description);
}
