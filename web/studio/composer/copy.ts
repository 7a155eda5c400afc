import type { JsonObject } from "@bufbuild/protobuf";
import { call } from "../api.ts";
import { listComponents } from "./page.ts";

/** Creates a hidden page of an id with copies of the components of another one. Again, it is the same copy. */
export async function copyPage(page: JsonObject, id: string): Promise<void> {
  const slug = `${page.slug}-${id.slice(0, 8)}`;
  const originals = await listComponents(String(page.id));
  const records: JsonObject[] = [
    { page: { ...page, id, slug, visibility: "VISIBILITY_HIDDEN" } },
    ...originals.map((it, index) => ({
      page_component: { page_id: id, page_component: { ...it, id: `${id}-${index}` } },
    })),
  ];
  const body = { project_id: page.project_id ?? "", records };
  await call({ path: "/cms/records/v1:write", body });
}
