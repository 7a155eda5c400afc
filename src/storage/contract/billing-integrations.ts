import type { BillingSecrets } from "../../domain/monetization/billing-secrets.ts";
import type { Stored } from "./stored.ts";

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
