import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { invalidField } from "../../errors.ts";
import { clip } from "../../messages/clip.ts";
import { checkPageComponent } from "./check.ts";

/** The place of a new component. */
export interface NewPlace {
  /** The project of its page. */
  readonly projectId: string;
  /** Counted from 0; absent: after all others. */
  readonly position?: number | undefined;
}

/**
 * Checks a new component and its place. INVALID_ARGUMENT `PROJECT_DIFFERENT` for a page of another project,
 * `VALUE_OUT_OF_RANGE` for a negative position, and the errors of {@link checkPageComponent}.
 */
export function checkNewPageComponent(component: PageComponent, place: NewPlace): void {
  if (component.projectId !== place.projectId) {
    throw invalidField(
      "page_component.project_id",
      "PROJECT_DIFFERENT",
      `must be '${place.projectId}', the project of the page, not '${clip(component.projectId)}'`,
    );
  }
  if (place.position !== undefined && place.position < 0) {
    throw invalidField("position", "VALUE_OUT_OF_RANGE", "must not be negative");
  }
  checkPageComponent(component, "page_component");
}
