import type { Offers } from "../../../../gen/svc/studio/ott/page_component/v2/offers_pb.ts";
import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { ContentKind } from "../../content/order.ts";
import { parseFreeTemplate } from "../../variables/text-template.ts";
import { getDataMember } from "../components/data-member.ts";

/** A resource that a component shows by its id and that must exist (contract: pages 4). */
export interface Reference {
  readonly kind: "banner_collection" | "offer" | ContentKind;
  readonly id: string;
  /** The path of the id, such as `event_player.id`. */
  readonly field: string;
  /** The path of the variable in the id; empty for a literal id. */
  readonly variable: string;
}

/** Maximum number of offers of a component. */
const MOST_OFFERS = 100;

/**
 * Lists the references of a component: the offers of its cards, or the one resource that it shows. A player with a
 * query, for example, has none. `variable` is the variable of the component's id before it was resolved.
 */
export function readReferences(component: PageComponent, variable: string): Reference[] {
  const { data } = component;
  if (data.case === "offers") {
    return readOfferIds(data.value).map((id) => ({
      kind: "offer",
      id,
      field: "offers.offer",
      variable: "",
    }));
  }
  const target = readTarget(component);
  const member = getDataMember(component);
  if (target === undefined || target.id === "" || member === undefined) return [];
  return [{ ...target, field: `${member.name}.id`, variable }];
}

/** Returns the path of the variable in the id that a stored component shows; empty for none. */
export function findIdVariable(stored: PageComponent): string {
  const template = parseFreeTemplate(readTarget(stored)?.id ?? "");
  return template.find((part) => part.kind === "variable")?.path ?? "";
}

/** Lists the distinct ids of the offers that cards name, in snake_case or camelCase. */
export function readOfferIds({ offer: cards }: Offers): string[] {
  const ids = cards
    .map(({ offer_id: snake, offerId: camel }) => snake ?? camel)
    .filter((id) => typeof id === "string")
    .filter((id) => id !== "");
  return [...new Set(ids)].slice(0, MOST_OFFERS);
}

/** Returns the resource that a component names by id, unresolved: it may have variables or be empty. */
function readTarget({
  data,
}: PageComponent):
  | { readonly kind: Exclude<Reference["kind"], "offer">; readonly id: string }
  | undefined {
  switch (data.case) {
    case "bannerCollection":
    case "bannerCollectionV2":
      return { kind: "banner_collection", id: data.value.id };
    case "creativeWorkPlayer":
      return readContent("creative_work", data.value.content);
    case "eventPlayer":
      return readContent("event", data.value.content);
    case "playerProfile":
      return { kind: "entity", id: data.value.id };
    default:
      return undefined;
  }
}

type PlayerContent = { readonly case?: string | undefined; readonly value?: unknown };

function readContent(kind: ContentKind, content: PlayerContent) {
  return content.case === "id" ? { kind, id: String(content.value) } : undefined;
}

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
