import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import {
  ProjectKeyKind,
  ProjectKeySchema,
} from "../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import type { ProjectKeyKind as KeyKind } from "../../src/storage/contract/access.ts";
import type { Store } from "../../src/storage/contract/store.ts";

/** Keeps a key of a project under the hash of a secret that the test knows. */
export async function keepProjectKey(
  store: Pick<Store, "access" | "in">,
  projectId: string,
  kind: KeyKind,
  hash: Uint8Array,
): Promise<void> {
  const messageKind = kind === "preview" ? ProjectKeyKind.PREVIEW : ProjectKeyKind.PUBLIC;
  const key = create(ProjectKeySchema, { id: randomUUID(), projectId, kind: messageKind });
  const [project] = await store.access.locate("project", [projectId]);
  const { documents } = store.in(project?.organizationId ?? "");
  await documents.project_key.create(key, { hash });
}
