import type { Entitlement } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { BillingSecrets } from "../domain/monetization/billing-secrets.ts";
import type { DocumentPage, DocumentQuery } from "./document-store.ts";
import type { Stored } from "./stored.ts";

/** An entitlement as management sees it. Its revision moves with every change of its offer too, whose scope it tells. */
export interface StoredEntitlement extends Stored<Entitlement> {
  /** False: a transaction gives it. */
  readonly isGranted: boolean;
}

/** Every entitlement of every user: bought or given away, coming, live or ended. */
export interface EntitlementAdmin {
  /** Gets one entitlement; NOT_FOUND if there is none. */
  get(id: string): Promise<StoredEntitlement>;
  /** Lists those of projects by `id` or `start_time`, ties by id. */
  list(query: DocumentQuery): Promise<DocumentPage<Entitlement>>;
  /**
   * Gives an entitlement away, its times cut to microseconds; what it opens is left to the offer.
   * ALREADY_EXISTS if an entitlement or a transaction has the id, NOT_FOUND without its project.
   */
  create(value: Entitlement): Promise<StoredEntitlement>;
  /** Deletes an entitlement that `check` lets go; NOT_FOUND if there is none. */
  delete(id: string, check: (current: StoredEntitlement) => void): Promise<void>;
}

/** Billing integrations, one a project at most, by the project's id. */
export interface BillingIntegrationStore {
  /** Finds a project's integration. */
  find(projectId: string): Promise<Stored<BillingSecrets> | undefined>;
  /** Keeps what `change` returns, whether or not there was one; NOT_FOUND without the project. */
  put(
    projectId: string,
    change: (current: Stored<BillingSecrets> | undefined) => BillingSecrets,
  ): Promise<Stored<BillingSecrets>>;
}
