import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { BaseType } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";

/** Filters: plain, with variables, malformed. */
export const anyFilter = fc.constantFrom(
  "",
  "a: b",
  "a: {id}",
  "a: {none}",
  "a: {q} or c: d",
  "a: (",
);
const text = fc.constantFrom("", "final", "{id}", "of {id}", "{none}", "{");
const clauses = fc.dictionary(
  fc.constantFrom("k", "l"),
  fc.constantFrom("g: {k}", "g: h", "g: {l.ids}", "g: ("),
  { maxKeys: 2 },
);
const order = fc.constantFrom("", "id asc", "start_time desc", "sideways");
const rail = fc.record({
  type: fc.constantFrom(BaseType.UNSPECIFIED, BaseType.EVENT, BaseType.ENTITY),
  ...{ filter: anyFilter, search: text, order, additionalFilters: clauses },
  additionalSearch: fc.constantFrom("", "k", "query"),
  pinned: fc.constantFrom([], ["b", "a", "b"]),
  limit: fc.constantFrom(0, 3),
  excludeGeoblocked: fc.boolean(),
  showOnUnmatchedAdditionalFilters: fc.boolean(),
  card: fc.constantFrom(undefined, { title: "{id}" }),
});
const inline = fc.record(
  {
    type: fc.constant("BASE_TYPE_EVENT"),
    filter: anyFilter,
    search: text,
    order,
    card: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

const data: fc.Arbitrary<PageComponent["data"]> = fc.oneof(
  rail.map((value) => ({ case: "rail", value })),
  fc
    .record({
      filter: anyFilter,
      additionalFilters: clauses,
      showOnUnmatchedAdditionalFilters: fc.boolean(),
    })
    .map((value) => ({ case: "calendarV2", value })),
  anyFilter.map((it) => ({ case: "calendar", value: { filter: it } })),
  inline.map((value) => ({ case: "contentGrid", value: { source: { case: "inline", value } } })),
  fc.constantFrom("rail", "text", "gone").map((id) => ({
    ...{
      case: "contentGrid",
      value: { source: { case: "reference", value: { pageComponentId: id } } },
    },
  })),
  text.map((value) => ({ case: "eventPlayer", value: { content: { case: "id", value } } })),
  inline.map((value) => ({ case: "eventPlayer", value: { content: { case: "query", value } } })),
  text.map((id) => ({ case: "bannerCollectionV2", value: { id } })),
  text.map((id) => ({ case: "offers", value: { offer: [{ offerId: id }] } })),
  fc.jsonValue().map((it) => ({ case: "text", value: { it } })),
  fc.constant({ case: undefined }),
) as fc.Arbitrary<PageComponent["data"]>;

/** Components that are shown with or without variables, items and references, or dropped. */
export const anyComponent: fc.Arbitrary<PageComponent> = fc
  .record({ data, groupId: fc.constantFrom("", "g"), name: fc.string() })
  .map((it) => create(PageComponentSchema, { id: "c", ...it }));
