import type { Entitlement } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { BillingSecrets } from "../domain/monetization/billing-secrets.ts";
import type { DocumentPage, DocumentQuery } from "./document-store.ts";
import type { Stored } from "./stored.ts";

/**
 * An entitlement for management. Its revision changes with every change of its offer too, as it shows the
 * offer's scope.
 */
export interface StoredEntitlement extends Stored<Entitlement> {
  /** False if a transaction grants it. */
  readonly isGranted: boolean;
}

/** All entitlements of all users: bought or granted; upcoming, live or ended. */
export interface EntitlementAdmin {
  /** Returns an entitlement; NOT_FOUND if there is none. */
  get(id: string): Promise<StoredEntitlement>;
  /** Lists the entitlements of projects by `id` or `start_time`, ties by id. */
  list(query: DocumentQuery): Promise<DocumentPage<Entitlement>>;
  /**
   * Grants an entitlement, its times truncated to microseconds; what it opens is determined by the offer.
   * ALREADY_EXISTS if an entitlement or a transaction has the id, NOT_FOUND if its project does not exist.
   */
  create(value: Entitlement): Promise<StoredEntitlement>;
  /** Deletes an entitlement unless `check` throws; NOT_FOUND if there is none. */
  delete(id: string, check: (current: StoredEntitlement) => void): Promise<void>;
}

/** Billing integrations, at most one per project, by the project's id. */
export interface BillingIntegrationStore {
  /** Finds the integration of a project. */
  find(projectId: string): Promise<Stored<BillingSecrets> | undefined>;
  /**
   * Creates or replaces an integration with the result of `change`; NOT_FOUND if the project does not exist.
   */
  put(
    projectId: string,
    change: (current: Stored<BillingSecrets> | undefined) => BillingSecrets,
  ): Promise<Stored<BillingSecrets>>;
}
