import { Code, DomainError } from "../../errors.ts";
import { clip } from "../../messages/clip.ts";

/** A component as the layout rules of its page see it. */
export interface PagePlace {
  readonly id: string;
  /** Empty: the component's own id counts. */
  readonly groupId: string;
  readonly isFilter: boolean;
}

/**
 * Checks the components of a page in page order: at most one filter (SPEC Limits), and the components of a
 * group adjacent (SPEC PageComponent `group_id`). FAILED_PRECONDITION `PAGE_FILTER_LIMIT` or
 * `GROUP_NOT_ADJACENT`.
 */
export function checkPageLayout(places: readonly PagePlace[]): void {
  const filters = places.filter((place) => place.isFilter).map((place) => place.id);
  if (filters.length > 1) {
    throw new DomainError(
      Code.FAILED_PRECONDITION,
      "PAGE_FILTER_LIMIT",
      "a page must have at most one component of type filter",
      { metadata: { component_ids: filters.join(",") } },
    );
  }
  checkGroups(places);
}

function checkGroups(places: readonly PagePlace[]): void {
  const ended = new Set<string>();
  let current: string | undefined;
  for (const place of places) {
    const group = place.groupId === "" ? place.id : place.groupId;
    if (group === current) continue;
    if (ended.has(group)) {
      throw new DomainError(
        Code.FAILED_PRECONDITION,
        "GROUP_NOT_ADJACENT",
        `components with the group_id '${clip(group)}' must be adjacent on their page`,
        { metadata: { group_id: group, component_id: place.id } },
      );
    }
    if (current !== undefined) ended.add(current);
    current = group;
  }
}
