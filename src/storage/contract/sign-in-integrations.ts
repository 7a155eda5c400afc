import type { SignInIntegration } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { Stored } from "./stored.ts";

/** Sign-in integrations, at most one per project, by the project's id. */
export interface SignInIntegrationStore {
  /** Finds the integration of a project; undefined if there is none. */
  find(projectId: string): Promise<Stored<SignInIntegration> | undefined>;
  /** Creates or replaces an integration with the result of `change`. */
  put(
    projectId: string,
    change: (current: Stored<SignInIntegration> | undefined) => SignInIntegration,
  ): Promise<Stored<SignInIntegration>>;
}
