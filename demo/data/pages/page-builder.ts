import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { PageRecord } from "../dataset-records.ts";

type ComponentInit = MessageInitShape<typeof PageComponentSchema>;

/** Creates published pages and components of one project. */
export interface PageBuilder {
  page(init: MessageInitShape<typeof PageSchema>, components: readonly PageComponent[]): PageRecord;
  /** Creates a component whose type is the name of its data member, unless the last argument differs. */
  component(
    id: string,
    name: string,
    data: NonNullable<ComponentInit["data"]>,
    rest?: ComponentInit,
  ): PageComponent;
}

const CREATED = timestampFromDate(new Date("2026-05-01T08:00:00Z"));
const UPDATED = timestampFromDate(new Date("2026-06-10T08:00:00Z"));

const TYPES = new Map(PageComponentSchema.fields.map((field) => [field.localName, field.name]));

/** Creates the builder of a project's pages. */
export function createPageBuilder(projectId: string): PageBuilder {
  return {
    page: (init, components) => ({
      page: create(PageSchema, {
        projectId,
        visibility: Visibility.PUBLISHED,
        createTime: CREATED,
        updateTime: UPDATED,
        ...init,
      }),
      components,
    }),
    component: (id, name, data, rest) =>
      create(PageComponentSchema, {
        id,
        projectId,
        name,
        type: TYPES.get(data.case ?? "") ?? "",
        visibility: Visibility.PUBLISHED,
        data,
        ...rest,
      }),
  };
}
