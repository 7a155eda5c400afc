import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { invalidField } from "../../errors.ts";
import { checkPageComponent } from "./check.ts";

/** Where a new component is to lie. */
export interface NewPlace {
  /** The project of its page. */
  readonly projectId: string;
  /** From 0; absent: behind all others. */
  readonly position?: number | undefined;
}

/**
 * Checks a new component by itself and against the page that it is made for. INVALID_ARGUMENT
 * `PROJECT_DIFFERENT` for a page of another project, `VALUE_OUT_OF_RANGE` for a negative position, and
 * all of {@link checkPageComponent}.
 */
export function checkNewPageComponent(component: PageComponent, place: NewPlace): void {
  if (component.projectId !== place.projectId) {
    throw invalidField(
      "page_component.project_id",
      "PROJECT_DIFFERENT",
      `it is '${component.projectId}', and the page is of '${place.projectId}'`,
    );
  }
  if (place.position !== undefined && place.position < 0) {
    throw invalidField("position", "VALUE_OUT_OF_RANGE", "it must not be negative");
  }
  checkPageComponent(component, "page_component");
}
