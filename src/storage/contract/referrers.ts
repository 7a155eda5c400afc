import type { ResourceRef } from "../../domain/access/permissions.ts";
import type { ResourceName } from "../../domain/references.ts";

/** Lookups of references to resources. */
export interface ReferrerStore {
  /**
   * Lists at most `limit` resources of the same project or organization that refer to a resource or depend on
   * it. The same id elsewhere names another resource.
   */
  list(resource: ResourceRef, limit: number): Promise<ResourceName[]>;
}
