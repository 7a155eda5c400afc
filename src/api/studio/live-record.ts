import type { Record as TransferRecord } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { isRecordKind, wrapRecord } from "../../domain/records/record.ts";
import type { OrganizationStore } from "../../storage/store.ts";

/** Reads a resource as a record; undefined if there is none, or its kind has no records. */
export async function readLiveRecord(
  { documents, pageComponents }: OrganizationStore,
  kind: string,
  id: string,
): Promise<TransferRecord | undefined> {
  if (!isRecordKind(kind)) return undefined;
  if (kind === "page_component") {
    const [stored] = await pageComponents.getMany([id]);
    if (stored === undefined) return undefined;
    const { pageId } = await pageComponents.locate(id);
    return wrapRecord({ kind, message: stored.value, line: 0, pageId });
  }
  if (!(kind in documents)) return undefined;
  const [stored] = await documents[kind as keyof typeof documents].getMany([id]);
  return stored && wrapRecord({ kind, message: stored.value, line: 0 });
}
