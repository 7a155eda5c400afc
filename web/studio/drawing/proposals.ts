import type { Page } from "../../../packages/client/src/delivery.ts";
import type { JsonOf } from "./json-of.ts";
import { CONTENT_LISTS, type Read } from "./reads.ts";
import type { ItemContent } from "./resolved.ts";
import { pick } from "./text.ts";

/** An item that a page can be about. */
export interface Proposal {
  readonly id: string;
  readonly title: string;
}

/** The number of proposals. */
const COUNT = 5;

/**
 * Lists items that a page with an `id` can be about, the last changed first. They have the content type that is the slug
 * of the page, or any type if there are none. Empty for a page about nothing.
 */
export async function listProposals(
  { object, parameters = [], slug }: JsonOf<Page>,
  read: Read,
  language: string,
): Promise<readonly Proposal[]> {
  const procedure = CONTENT_LISTS.get((object ?? "").replace("PAGE_OBJECT_", ""));
  if (procedure === undefined || !parameters.includes("id")) return [];
  const list = async (filter: string) => {
    const request = { filter, order: "update_time desc", pageSize: COUNT };
    const { message } = await read(procedure, request);
    return (Object.values(message).find(Array.isArray) ?? []) as readonly ItemContent[];
  };
  const ofType = await list(`content_type: ${JSON.stringify(slug)}`);
  const items = ofType.length > 0 ? ofType : await list("");
  return items.map(({ id = "", title }) => ({ id, title: pick(title, language) || id }));
}
