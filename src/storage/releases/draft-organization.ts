import type { Message } from "@bufbuild/protobuf";
import { isReleasable, KIND_NAMES } from "../../domain/kinds.ts";
import type {
  DocumentPage,
  DocumentQuery,
  DocumentStore,
  Documents,
  Stored,
} from "../contract/document-store.ts";
import type { OrganizationStore } from "../contract/store.ts";
import { DraftComponents } from "./draft-components.ts";
import { DraftStore, type Drafts, toStored } from "./drafts.ts";

/** The revision of a write into a release, which moves none. */
const NONE = 0;

/** Opens the resources of an organization as a release shows them. Writes to releasable kinds become drafts. */
export function openDraftOrganization(drafts: Drafts): OrganizationStore {
  const { current } = drafts;
  const documents = KIND_NAMES.map((kind) => {
    const store = isReleasable(kind)
      ? new DraftDocuments(drafts, kind)
      : current.documents[kind as keyof Documents];
    return [kind, store];
  });
  return {
    organizationId: current.organizationId,
    documents: Object.fromEntries(documents) as Documents,
    pageComponents: new DraftComponents(drafts),
    entitlementAdmin: current.entitlementAdmin,
    runAdmin: current.runAdmin,
  };
}

/** The documents of one kind as a release shows them. */
class DraftDocuments<T extends Message & { id: string }>
  extends DraftStore<T>
  implements DocumentStore<T>
{
  /** Lists current versions. */
  list(query: DocumentQuery, show?: (value: T) => T): Promise<DocumentPage<T>> {
    const { documents } = this.drafts.current;
    const current = documents[this.kind as keyof Documents] as unknown as DocumentStore<T>;
    return current.list(query, show);
  }

  async create(value: T): Promise<Stored<T>> {
    await this.drafts.create(this.kind, value.id, { kind: this.kind, message: value, line: 0 });
    return this.get(value.id);
  }

  async touch(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>> {
    const current = await this.get(id);
    change(current);
    return current;
  }

  async delete(id: string, check: (current: Stored<T>) => void) {
    const state = await this.drafts.get(this.kind, id);
    check(toStored<T>(state));
    if (this.kind === "page") await new DraftComponents(this.drafts).deleteAll(id);
    await this.drafts.write(this.kind, id, state, undefined);
    return { revision: NONE, dependents: [] };
  }
}
