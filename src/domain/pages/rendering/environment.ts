import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { invalidField } from "../../errors.ts";
import { clip } from "../../text.ts";
import { ENVIRONMENTS } from "../components/check.ts";

/** Checks the environment of a client; empty means unspecified. INVALID_ARGUMENT `ENVIRONMENT_UNKNOWN`. */
export function checkEnvironment(environment: string): void {
  if (environment === "" || ENVIRONMENTS.includes(environment)) return;
  throw invalidField(
    "environment",
    "ENVIRONMENT_UNKNOWN",
    `'${clip(environment)}' is not one of ${ENVIRONMENTS.join(", ")}`,
  );
}

/** Reports whether a component is rendered in an environment (contract: page-components 3). */
export function isForEnvironment({ environments }: PageComponent, environment: string): boolean {
  return environment === "" || environments.length === 0 || environments.includes(environment);
}
