import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { checkOneOf } from "../../base/field-errors.ts";

/** The client environments that render components. */
export const ENVIRONMENTS: readonly string[] = [
  "web",
  "ios",
  "android",
  "tvos",
  "lg",
  "samsung",
  "androidtv",
];

/** Checks the name of an environment. INVALID_ARGUMENT `ENVIRONMENT_UNKNOWN`. */
export function checkEnvironment(name: string, field: string): void {
  checkOneOf(name, ENVIRONMENTS, field, "ENVIRONMENT_UNKNOWN");
}

/** Reports whether a component is rendered in an environment; empty: in any (contract: page-components 3). */
export function isForEnvironment({ environments }: PageComponent, environment: string): boolean {
  return environment === "" || environments.length === 0 || environments.includes(environment);
}
