import { Code, DomainError } from "../../errors.ts";
import type { DroppedComponent } from "./render-component.ts";

/** Creates the FAILED_PRECONDITION `COMPONENT_DROPPED` for a component asked for by itself. */
export function componentDropped(dropped: DroppedComponent): DomainError {
  const { componentId, field, variable, reason } = dropped;
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "COMPONENT_DROPPED",
    `page_component ${componentId} cannot be shown here because of ${field}: ${reason}`,
    { metadata: { component_id: componentId, field, variable, reason } },
  );
}

/** Creates the FAILED_PRECONDITION `COMPONENT_WITHOUT_ITEMS` for a component that lists nothing. */
export function componentWithoutItems(componentId: string): DomainError {
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "COMPONENT_WITHOUT_ITEMS",
    `page_component ${componentId} is no rail, calendar or grid`,
    { metadata: { component_id: componentId } },
  );
}
