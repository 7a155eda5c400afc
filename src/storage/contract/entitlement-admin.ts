import type { Entitlement } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { DocumentPage, DocumentQuery } from "./document-store.ts";
import type { Stored } from "./stored.ts";

/**
 * An entitlement for the Studio API. Its revision also changes with every change of its offer, because it shows the
 * offer's scope.
 */
export interface StoredEntitlement extends Stored<Entitlement> {
  /** False if a transaction grants it. */
  readonly isGranted: boolean;
}

/** All entitlements of all users of an organization: bought or granted; upcoming, live or ended. */
export interface EntitlementAdmin {
  /** Returns an entitlement; NOT_FOUND if there is none. */
  get(id: string): Promise<StoredEntitlement>;
  /** Lists the entitlements of projects by `id` or `start_time`, ties by id. */
  list(query: DocumentQuery): Promise<DocumentPage<Entitlement>>;
  /**
   * Grants an entitlement, its times truncated to microseconds; the offer determines its scope. ALREADY_EXISTS if an
   * entitlement or a transaction has the id, NOT_FOUND if its project does not exist.
   */
  create(value: Entitlement): Promise<StoredEntitlement>;
  /** Deletes an entitlement unless `check` throws; NOT_FOUND if there is none. */
  delete(id: string, check: (current: StoredEntitlement) => void): Promise<void>;
}
