import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";

/** Where the reference of a grid lies. */
export const REFERENCE_PATH = "content_grid.reference";

/**
 * Reads the id of the component that a grid mirrors, in either spelling; undefined for what is no such
 * grid, or does not say.
 */
export function findMirroredId({ data }: PageComponent): string | undefined {
  if (data.case !== "contentGrid" || data.value.source.case !== "reference") return undefined;
  const { page_component_id: snake, pageComponentId: camel } = data.value.source.value;
  const id = snake ?? camel;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** Tells whether a component has items of its own that a grid can mirror; another's are not followed. */
export function canBeMirrored({ data }: PageComponent): boolean {
  switch (data.case) {
    case "rail":
    case "calendar":
    case "calendarV2":
      return true;
    case "contentGrid":
      return data.value.source.case === "inline";
    default:
      return false;
  }
}
