import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import type { PageRecord } from "../../../demo/data/dataset-records.ts";
import { createPageBuilder } from "../../../demo/data/pages/page-builder.ts";
import type { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type {
  PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { RailSchema } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { ALPHA } from "../../storage/small-dataset.ts";

type ComponentInit = MessageInitShape<typeof PageComponentSchema>;

/** The data member of a component to be. */
export type PartData = NonNullable<ComponentInit["data"]>;

const builder = createPageBuilder(ALPHA);

/** Creates a published page of the project alpha, its slug the same as its id. */
export function createPage(
  id: string,
  components: readonly PageComponent[],
  init: MessageInitShape<typeof PageSchema> = {},
): PageRecord {
  return builder.page({ id, slug: id, ...init }, components);
}

/** Creates a published component of the project alpha. */
export function createPart(id: string, data: PartData, init: ComponentInit = {}): PageComponent {
  return builder.component(id, id, data, init);
}

/** Creates a published rail of events. */
export function createRail(
  id: string,
  value: MessageInitShape<typeof RailSchema>,
  init: ComponentInit = {},
): PageComponent {
  return createPart(id, { case: "rail", value: { type: BaseType.EVENT, ...value } }, init);
}

/** Creates a published grid. */
export function createGrid(id: string, kind: "inline" | "reference", value: JsonObject) {
  return createPart(id, { case: "contentGrid", value: { source: { case: kind, value } } });
}

/** The visibilities by name. */
export const VISIBILITIES = {
  unspecified: Visibility.UNSPECIFIED,
  published: Visibility.PUBLISHED,
  unlisted: Visibility.UNLISTED,
  hidden: Visibility.HIDDEN,
} as const;

/** The names of the visibilities. */
export const NAMES: readonly string[] = Object.keys(VISIBILITIES);

/** Those that a public key gets by id. */
export const READABLE: readonly string[] = ["published", "unlisted"];

/** Creates one of something for each visibility, its id the name of the visibility. */
export function ofEachVisibility<T>(make: (id: string, visibility: Visibility) => T): T[] {
  return Object.entries(VISIBILITIES).map(([id, visibility]) => make(id, visibility));
}

/** Creates a page for each visibility, on each a rail for each: `unlisted-hidden` is a hidden one. */
export function createVisiblePages(): readonly PageRecord[] {
  return ofEachVisibility((page, visibility) => {
    const rails = ofEachVisibility((id, own) =>
      createRail(`${page}-${id}`, { filter: "id: published" }, { visibility: own }),
    );
    return createPage(page, rails, { visibility });
  });
}
