import {
  type ProjectKey,
  ProjectKeyKind,
} from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { invalidField } from "../errors.ts";

/** Checks a key of a project; errors name fields below `path`. INVALID_ARGUMENT `KIND_INVALID`. */
export function checkProjectKey({ kind }: ProjectKey, path: string): void {
  if (kind === ProjectKeyKind.PUBLIC || kind === ProjectKeyKind.PREVIEW) return;
  throw invalidField(
    `${path}.kind`,
    "KIND_INVALID",
    "must be PROJECT_KEY_KIND_PUBLIC or PROJECT_KEY_KIND_PREVIEW",
  );
}
