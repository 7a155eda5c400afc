import { create, fromJson, type JsonObject } from "@bufbuild/protobuf";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";

/** The least value of each of the nineteen data members, by its name in the contract. */
export const MEMBERS: Readonly<Record<string, object>> = {
  banner_collection: {},
  banner_collection_v2: {},
  calendar: {},
  calendar_v2: {},
  rail: {},
  content_grid: {},
  filter: {},
  creative_work_player: { content: { case: "query", value: {} } },
  event_player: { content: { case: "query", value: {} } },
  offers: {},
  player_profile: { id: "{id}" },
  promotional_content: { a_b: [1, { c: null }] },
  sponsorship_collection: {},
  standings: { tableId: "t" },
  faq: { "": { "x.y": true } },
  footer: {},
  text: { text: { en: "Hi" } },
  image: {},
  html: { html: "<p>" },
};

/** Creates a component whose type is the name of its data member. */
export function createComponent(
  name: string,
  value: object = MEMBERS[name] ?? {},
  init: object = {},
): PageComponent {
  const member = PageComponentSchema.oneofs[0]?.fields.find((field) => field.name === name);
  return create(PageComponentSchema, {
    id: "c",
    projectId: "p",
    type: name,
    data: { case: member?.localName ?? "", value },
    ...init,
  } as Parameters<typeof create<typeof PageComponentSchema>>[1]);
}

/** Creates a component of its ProtoJSON, whose type is the name of its data member unless it has one. */
export function readComponent(json: JsonObject): PageComponent {
  const type = Object.keys(MEMBERS).find((name) => name in json) ?? "";
  return fromJson(PageComponentSchema, { id: "c", project_id: "p", type, ...json });
}
