import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";

/** The path of a grid's reference. */
export const REFERENCE_PATH = "content_grid.reference";

/**
 * Returns the id of the component that a grid mirrors, from snake_case or camelCase; undefined for any other
 * component and for a grid without the id.
 */
export function findMirroredId({ data }: PageComponent): string | undefined {
  if (data.case !== "contentGrid" || data.value.source.case !== "reference") return undefined;
  const { page_component_id: snake, pageComponentId: camel } = data.value.source.value;
  const id = snake ?? camel;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** Reports whether a grid can mirror a component: it has items and is not itself a mirror. */
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
