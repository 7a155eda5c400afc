import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { invalidField } from "../../errors.ts";
import { ENVIRONMENTS } from "../components/check.ts";

/** Checks where a client says it runs; empty says nothing. INVALID_ARGUMENT `ENVIRONMENT_UNKNOWN`. */
export function checkEnvironment(environment: string): void {
  if (environment === "" || ENVIRONMENTS.includes(environment)) return;
  throw invalidField(
    "environment",
    "ENVIRONMENT_UNKNOWN",
    `it is not one of ${ENVIRONMENTS.join(", ")}`,
  );
}

/** Tells whether a component is rendered in an environment (SPEC PageComponent `environments`). */
export function isForEnvironment({ environments }: PageComponent, environment: string): boolean {
  return environment === "" || environments.length === 0 || environments.includes(environment);
}
