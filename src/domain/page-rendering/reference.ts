import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { ContentKind } from "../order.ts";
import { getDataMember } from "../page-component/data-member.ts";
import { parseTextTemplate } from "../variables/text-template.ts";

/** What a component shows by its id, and what must exist for that (SPEC Variables). */
export interface Reference {
  readonly kind: "banner_collection" | ContentKind;
  readonly id: string;
  /** Where the id lies, such as `event_player.id`. */
  readonly field: string;
  /** The path of the variable that the id came from; empty for a literal id. */
  readonly variable: string;
}

/**
 * Reads what a component refers to; undefined where nothing, as for a player with a query. `stored`
 * is the component before its variables were resolved.
 */
export function readReference(
  stored: PageComponent,
  component: PageComponent,
): Reference | undefined {
  const target = readTarget(component);
  const member = getDataMember(component);
  if (target === undefined || target.id === "" || member === undefined) return undefined;
  const template = parseTextTemplate(readTarget(stored)?.id ?? "");
  const variable = template.find((part) => part.kind === "variable")?.path ?? "";
  return { ...target, field: `${member.name}.id`, variable };
}

/** Reads what a component names by its id, as it stands there: it may hold variables or be empty. */
export function readTarget({ data }: PageComponent): Pick<Reference, "kind" | "id"> | undefined {
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
