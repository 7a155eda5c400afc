import { Code, DomainError } from "../../errors.ts";
import { checkPageLayout, type PagePlace } from "./layout.ts";

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
  const faults = {
    missing: page.map(({ id }) => id).filter((id) => !asked.has(id)),
    unknown: [...asked].filter((id) => !places.has(id)),
    repeated: [...new Set(again)],
  };
  if (Object.values(faults).some((found) => found.length > 0)) throw incomplete(faults);
  checkPageLayout(ids.flatMap((id) => places.get(id) ?? []));
}

function incomplete(faults: Readonly<Record<string, readonly string[]>>): DomainError {
  const lists = Object.entries(faults).map(([name, ids]) => [name, ids.slice(0, LISTED).join(",")]);
  const found = lists.filter(([name = ""]) => faults[name]?.length !== 0);
  const field = "page_component_ids";
  const description = `must name every component of the page exactly once (${found
    .map(([name, ids]) => `${name}: ${ids}`)
    .join("; ")})`;
  return new DomainError(Code.INVALID_ARGUMENT, "ORDER_INCOMPLETE", `${field}: ${description}`, {
    fields: [{ field, description }],
    metadata: { field, ...Object.fromEntries(lists) },
  });
}
