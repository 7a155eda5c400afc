import type { Page } from "../../packages/client/src/delivery.ts";
import type { JsonOf } from "./json-of.ts";
import type { Read } from "./reads.ts";
import { contentOf } from "./resolved.ts";
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
  if (!parameters.includes("id")) return [];
  const list = async (filter: string) => {
    const request = { filter, order: "update_time desc", pageSize: COUNT };
    switch (object) {
      case "PAGE_OBJECT_EVENT": {
        const { message } = await read(`${CONTENT}.event.v1.EventService/ListEvents`, request);
        return (message.events ?? []).map((event) => ({ event }));
      }
      case "PAGE_OBJECT_CREATIVE_WORK": {
        const procedure =
          `${CONTENT}.creative_work.v1.CreativeWorkService/ListCreativeWorks` as const;
        const { message } = await read(procedure, request);
        return (message.creativeWorks ?? []).map((creativeWork) => ({ creativeWork }));
      }
      case "PAGE_OBJECT_ENTITY": {
        const { message } = await read(`${CONTENT}.entity.v1.EntityService/ListEntities`, request);
        return (message.entities ?? []).map((entity) => ({ entity }));
      }
      default:
        return [];
    }
  };
  const ofType = await list(`content_type: ${JSON.stringify(slug)}`);
  const items = ofType.length > 0 ? ofType : await list("");
  return items.map((item) => {
    const { id = "", title } = contentOf(item);
    return { id, title: pick(title, language) || id };
  });
}

const CONTENT = "svc.cda.cms";

/** Describes the parameter `id` of a page about an object, such as `id of event` for `PAGE_OBJECT_EVENT`. */
export function describeObject(object: string): string {
  return `id of ${object.replace("PAGE_OBJECT_", "").toLowerCase().replace("_", " ")}`;
}
