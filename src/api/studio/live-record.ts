import { isRecordKind, type RecordItem } from "../../domain/records/record.ts";
import type { OrganizationStore } from "../../storage/store.ts";

/** The kind and the id of a resource. */
export interface ResourceId {
  readonly kind: string;
  readonly id: string;
}

/** Prints the key of a resource, such as `event:match-1`. */
export function printKey({ kind, id }: ResourceId): string {
  return `${kind}:${id}`;
}

/** Reads resources of a project as records, by key. Kinds without records are omitted. */
export async function readLiveRecords(
  { documents, pageComponents }: OrganizationStore,
  projectId: string,
  resources: readonly ResourceId[],
): Promise<ReadonlyMap<string, RecordItem>> {
  const records = new Map<string, RecordItem>();
  for (const [kind, named] of Map.groupBy(resources, (it) => it.kind)) {
    if (!isRecordKind(kind)) continue;
    const isComponent = kind === "page_component";
    if (!isComponent && !(kind in documents)) continue;
    const ids = [...new Set(named.map(({ id }) => id))];
    const stored = isComponent
      ? await pageComponents.getMany(ids)
      : await documents[kind as keyof typeof documents].getMany(ids);
    for (const { value: message } of stored) {
      // Ids are unique in an organization.
      if (!("projectId" in message) || message.projectId !== projectId) continue;
      const place = isComponent ? await pageComponents.locate(message.id) : undefined;
      const pageId = place && { pageId: place.pageId };
      records.set(printKey({ kind, id: message.id }), { kind, message, line: 0, ...pageId });
    }
  }
  return records;
}
