import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Code, DomainError } from "../../base/errors.ts";
import { invalidField } from "../../base/field-errors.ts";
import { clip } from "../../base/text.ts";

/** A component as the layout rules of its page see it. */
export interface PagePlace {
  readonly id: string;
  /** Empty: the component's own id counts. */
  readonly groupId: string;
  readonly isFilter: boolean;
}

/** Returns the place of a component. */
export function placeOf({ id, groupId, data }: PageComponent): PagePlace {
  return { id, groupId, isFilter: data.case === "filter" };
}

/** Maximum number of components of a page. */
export const MOST_COMPONENTS = 100;

/** The most bytes of the components of a page, as stored: a read of the page has them all. */
export const MOST_PAGE_BYTES = 64 * 1024 * 1024;

/** Checks the size of all components of a page. FAILED_PRECONDITION `PAGE_TOO_LARGE`. */
export function checkPageSize(bytes: number): void {
  if (bytes <= MOST_PAGE_BYTES) return;
  const message = `the components of a page must have at most ${MOST_PAGE_BYTES} bytes as stored, not ${bytes}`;
  const metadata = { limit: String(MOST_PAGE_BYTES) };
  throw new DomainError(Code.FAILED_PRECONDITION, "PAGE_TOO_LARGE", message, { metadata });
}

/**
 * Checks the components of a page in page order (contract: page-components 4). FAILED_PRECONDITION:
 * - `PAGE_COMPONENT_LIMIT`: more than {@link MOST_COMPONENTS} components, unless the page had as many before.
 * - `PAGE_FILTER_LIMIT`: more than one filter.
 * - `GROUP_NOT_ADJACENT`: the components of a group are not adjacent.
 */
export function checkPageLayout(places: readonly PagePlace[], before = places.length): void {
  if (places.length > MOST_COMPONENTS && places.length > before) {
    throw new DomainError(
      Code.FAILED_PRECONDITION,
      "PAGE_COMPONENT_LIMIT",
      `a page must have at most ${MOST_COMPONENTS} components, not ${places.length}`,
      { metadata: { limit: String(MOST_COMPONENTS) } },
    );
  }
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

/** Maximum number of ids of each kind that an error lists. */
const LISTED = 20;

/**
 * Checks that ids name every component of a page exactly once, in an allowed order. INVALID_ARGUMENT
 * `ORDER_INCOMPLETE`, with the first missing, unknown and repeated ids in the metadata;
 * FAILED_PRECONDITION `GROUP_NOT_ADJACENT`.
 */
export function checkPageOrder(page: readonly PagePlace[], ids: readonly string[]): void {
  const places = new Map(page.map((it) => [it.id, it]));
  const asked = new Set(ids);
  const seen = new Set<string>();
  const again = ids.filter((id) => seen.size === seen.add(id).size);
  const errors = {
    missing: page.map(({ id }) => id).filter((id) => !asked.has(id)),
    unknown: [...asked].filter((id) => !places.has(id)),
    repeated: [...new Set(again)],
  };
  if (Object.values(errors).some((found) => found.length > 0)) throw incomplete(errors);
  checkPageLayout(ids.flatMap((id) => places.get(id) ?? []));
}

function incomplete(errors: Readonly<Record<string, readonly string[]>>): DomainError {
  const lists = Object.entries(errors).map(([name, ids]) => [name, ids.slice(0, LISTED).join(",")]);
  const found = lists.filter(([name = ""]) => errors[name]?.length !== 0);
  const description = `must name every component of the page exactly once (${found
    .map(([name, ids]) => `${name}: ${ids}`)
    .join("; ")})`;
  const metadata = Object.fromEntries(lists);
  return invalidField("page_component_ids", "ORDER_INCOMPLETE", description, metadata);
}

/**
 * Orders the components of a page like `listed` and inserts new ones. Listed components of the page exchange their
 * positions; components that are not listed keep theirs. A new component follows its predecessor in the list. Leading
 * new ones precede the first known one, and all are appended if none is known.
 */
export function mergeOrder(page: readonly string[], listed: readonly string[]): string[] {
  const present = new Set(page);
  const among = new Set(listed);
  const known = listed.filter((id) => present.has(id));
  let next = 0;
  const kept = page.map((id) => (among.has(id) ? (known[next++] ?? id) : id));
  if (known.length === 0) return [...kept, ...listed];

  const behind = new Map<string, string[]>();
  const first: string[] = [];
  let group = first;
  for (const id of listed) {
    if (present.has(id)) {
      group = [];
      behind.set(id, group);
    } else {
      group.push(id);
    }
  }
  return kept.flatMap((id) => [...(id === known[0] ? first : []), id, ...(behind.get(id) ?? [])]);
}

/** A component that is new on its page. */
interface NewComponent {
  readonly id: string;
  /** The component that it follows; empty: it comes first; absent: its place in the list counts. */
  readonly predecessorId?: string | undefined;
}

/**
 * Orders the components of a page like `listed`, as {@link mergeOrder} does, moves new ones behind their predecessors,
 * and orders the result like `order`, if given. A component whose predecessor is not on the page stays.
 */
export function arrangeComponents(
  page: readonly string[],
  listed: readonly string[],
  added: readonly NewComponent[],
  order?: readonly string[],
): string[] {
  let ids = mergeOrder(page, listed);
  const predecessors = new Map(added.map((it) => [it.id, it.predecessorId]));
  const place = (id: string): void => {
    const predecessorId = predecessors.get(id);
    predecessors.delete(id);
    if (predecessorId === undefined) return;
    // A predecessor that is new, too, gets its own place first.
    place(predecessorId);
    ids = placeAfter(ids, id, predecessorId);
  };
  for (const { id } of added) place(id);
  if (order === undefined) return ids;
  const present = new Set(ids);
  return mergeOrder(
    ids,
    order.filter((id) => present.has(id)),
  );
}

/** Moves an id behind another, or to the beginning if that is empty; it stays if there is no such one. */
function placeAfter(ids: readonly string[], id: string, predecessorId: string): string[] {
  const others = ids.filter((other) => other !== id);
  const index = predecessorId === "" ? 0 : others.indexOf(predecessorId) + 1;
  return predecessorId !== "" && index === 0 ? [...ids] : others.toSpliced(index, 0, id);
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
