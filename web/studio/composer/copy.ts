import type { JsonObject } from "@bufbuild/protobuf";
import { call } from "../api.ts";
import { type Access, readResource } from "../resource.ts";
import type { Row } from "./page.ts";

/** Creates a hidden page with copies of the components of another one. Returns its id. */
export async function copyPage(
  page: JsonObject,
  rows: readonly Row[],
  components: Access,
): Promise<string> {
  const id = crypto.randomUUID();
  const slug = `${page.slug}-${id.slice(0, 8)}`;
  const originals = await Promise.all(rows.map((row) => readResource(components, row.id)));
  const records: JsonObject[] = [
    { page: { ...page, id, slug, visibility: "VISIBILITY_HIDDEN" } },
    ...originals.map(({ value }) => ({
      page_component: { page_id: id, page_component: { ...value, id: crypto.randomUUID() } },
    })),
  ];
  const body = { project_id: components.projectId, records };
  await call({ method: "POST", path: "/cms/records/v1:write", body });
  return id;
}
