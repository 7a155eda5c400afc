import type { Page } from "../../packages/client/src/delivery.ts";
import { type Connection, read } from "./call.ts";
import type { Choices, HeaderChoices } from "./choices.ts";
import type { JsonOf } from "./json-of.ts";
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
  connection: Connection,
  { object, parameters = [], slug }: JsonOf<Page>,
  choices: HeaderChoices & Pick<Choices, "language">,
): Promise<readonly Proposal[]> {
  if (!parameters.includes("id")) return [];
  const list = async (filter: string) => {
    const request = { filter, order: "update_time desc", pageSize: COUNT };
    switch (object) {
      case "PAGE_OBJECT_EVENT": {
        const { message } = await read(
          connection,
          `${CONTENT}.event.v1.EventService/ListEvents`,
          request,
          choices,
        );
        return (message.events ?? []).map((event) => ({ event }));
      }
      case "PAGE_OBJECT_CREATIVE_WORK": {
        const procedure =
          `${CONTENT}.creative_work.v1.CreativeWorkService/ListCreativeWorks` as const;
        const { message } = await read(connection, procedure, request, choices);
        return (message.creativeWorks ?? []).map((creativeWork) => ({ creativeWork }));
      }
      case "PAGE_OBJECT_ENTITY": {
        const { message } = await read(
          connection,
          `${CONTENT}.entity.v1.EntityService/ListEntities`,
          request,
          choices,
        );
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
    return { id, title: pick(title, choices.language) || id };
  });
}

const CONTENT = "svc.cda.cms";
