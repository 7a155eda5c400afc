import { arrangeComponents } from "../../domain/pages/components/layout.ts";
import type { RecordItem } from "../../domain/records/record.ts";

/** A component as a draft leaves it. */
interface DraftedComponent {
  readonly id: string;
  /** Undefined: the draft deletes the component. */
  readonly state?: RecordItem | undefined;
  readonly places: Pick<RecordItem, "predecessorId">;
}

/** Orders the components of a page after the drafts of one release; `order` is the order of the page's draft, if it has one. */
export function arrangeDrafts(
  pageId: string,
  before: readonly string[],
  drafts: readonly DraftedComponent[],
  order: readonly string[] | undefined,
): readonly string[] {
  const gone = new Set(
    drafts
      .filter(({ state }) => state === undefined || (state.pageId ?? pageId) !== pageId)
      .map(({ id }) => id),
  );
  const stayed = before.filter((id) => !gone.has(id));
  const added = drafts
    .filter(({ id, state }) => state?.pageId === pageId && !stayed.includes(id))
    .map(({ id, places }) => ({ id, predecessorId: places.predecessorId }));
  return arrangeComponents(
    stayed,
    added.map(({ id }) => id),
    added,
    order,
  );
}
