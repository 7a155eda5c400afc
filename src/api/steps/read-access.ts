import { type Binding, decideAccess, type ResourceRef } from "../../domain/access/permissions.ts";
import { DomainError } from "../../domain/base/errors.ts";
import { conflictError, type DraftConflict } from "../../domain/changes/merge-draft.ts";
import { parseChangedKey } from "../../domain/changes/resource-change.ts";
import { isKindName, type KindName, kindOf, PERMISSIONS } from "../../domain/kinds.ts";
import { checkGranted } from "./authorize.ts";
import type { StudioCall } from "./studio-call.ts";

/** The caller of a call. */
type Reader = Pick<StudioCall, "held" | "organizationId">;

/** A resource of a history or a release. */
interface NamedResource {
  readonly projectId: string;
  /** Such as `event:match-1`. */
  readonly key: string;
}

/** Returns the permission to read the values of resources of a kind. */
function readPermissionOf(kind: string): string {
  const permission = isKindName(kind) ? `${kindOf(kind).permissions}.get` : "";
  return PERMISSIONS.has(permission) ? permission : "";
}

/** Checks that an account may read the values of a resource. PERMISSION_DENIED. */
export function checkReadable(held: readonly Binding[], resource: ResourceRef): void {
  checkGranted(held, resource, readPermissionOf(resource.kind));
}

/** Reports whether the caller may read the values of all resources of some kinds in a project. */
export function mayReadKinds(
  { held, organizationId }: Reader,
  projectId: string,
  kinds: readonly KindName[],
): boolean {
  return kinds.every((kind) => {
    const project = { kind, id: projectId, organizationId, projectId };
    return decideAccess(held, project, readPermissionOf(kind)) === "granted";
  });
}

/** Reports whether the caller may read the values of a resource in a history or a release. */
export function isReadable(reader: Reader, named: NamedResource): boolean {
  const resource = toRef(reader, named);
  return decideAccess(reader.held, resource, readPermissionOf(resource.kind)) === "granted";
}

/** Returns a resource of a history or a release for checks of access. */
export function toRef({ organizationId }: Reader, { projectId, key }: NamedResource): ResourceRef {
  return { ...parseChangedKey(key), organizationId, projectId };
}

/** Returns the error of a resource, without its text if the caller may not read the resource: it may quote values. */
export function withholdValues(
  reader: Reader,
  named: NamedResource,
  error: DomainError,
): DomainError {
  if (named.key === "" || isReadable(reader, named)) return error;
  const { code, reason } = error;
  const metadata = { item: named.key };
  return new DomainError(code, reason, `${named.key}: ${reason}`, { metadata });
}

/** Creates the error of drafts in conflict, without the paths of resources that the caller may not read. */
export function releaseConflicts(
  reader: Reader,
  projectId: string,
  items: readonly { readonly key: string; readonly conflicts: readonly DraftConflict[] }[],
): DomainError {
  return conflictError(
    items.map(({ key, conflicts }) => {
      if (isReadable(reader, { projectId, key })) return { key, conflicts };
      return { key, conflicts: conflicts.slice(0, 1).map((it) => ({ ...it, path: "" })) };
    }),
  );
}
