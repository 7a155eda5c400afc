import { printKey } from "../../domain/changes/resource-change.ts";
import { isRecordKind, type RecordItem } from "../../domain/records/record.ts";
import type { ResourceName } from "../../domain/references.ts";
import type { OrganizationStore } from "./store.ts";

/** A current resource. */
export interface CurrentRecord {
  readonly item: RecordItem;
  readonly revision: number;
}

/** The resources to read at a time if they may be large: each may have hundreds of kilobytes. */
export const MOST_CURRENT = 5;

/** Reads resources of a project as records, by key. Kinds without records are omitted. */
export async function readCurrentRecords(
  { documents, pageComponents }: Pick<OrganizationStore, "documents" | "pageComponents">,
  projectId: string,
  resources: readonly ResourceName[],
): Promise<ReadonlyMap<string, CurrentRecord>> {
  const records = new Map<string, CurrentRecord>();
  for (const [kind, named] of Map.groupBy(resources, (it) => it.kind)) {
    if (!isRecordKind(kind)) continue;
    const isComponent = kind === "page_component";
    if (!isComponent && !(kind in documents)) continue;
    const ids = [...new Set(named.map(({ id }) => id))];
    const store = isComponent ? pageComponents : documents[kind as keyof typeof documents];
    const [stored, pages] = await Promise.all([
      store.getMany(ids),
      isComponent ? pageComponents.findPages(ids) : undefined,
    ]);
    for (const { value: message, revision } of stored) {
      // Ids are unique in an organization.
      if (!("projectId" in message) || message.projectId !== projectId) continue;
      const pageId = pages?.get(message.id);
      const item = { kind, message, line: 0, ...(pageId !== undefined && { pageId }) };
      records.set(printKey({ kind, id: message.id }), { item, revision });
    }
  }
  return records;
}
