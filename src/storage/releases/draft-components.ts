import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { type PagePlace, placeOf } from "../../domain/pages/components/layout.ts";
import type { RecordItem } from "../../domain/records/record.ts";
import type { DocumentPage, DocumentQuery, Stored } from "../contract/document-store.ts";
import type { PageComponentStore, PageSlot } from "../contract/pages.ts";
import { type DraftState, DraftStore, type Drafts, toStored } from "./drafts.ts";
import { arrangeDrafts } from "./page-order.ts";

const KIND = "page_component";

/** The page components of an organization as a release shows them. */
export class DraftComponents extends DraftStore<PageComponent> implements PageComponentStore {
  constructor(drafts: Drafts) {
    super(drafts, KIND);
  }

  /** Lists current versions. */
  list(query: DocumentQuery): Promise<DocumentPage<PageComponent>> {
    return this.drafts.current.pageComponents.list(query);
  }

  async locate(id: string): Promise<{ readonly pageId: string; readonly position: number }> {
    const { pageId = "" } = (await this.drafts.get(KIND, id)).merged;
    const page = await this.listPlaces(pageId);
    return { pageId, position: page.findIndex((it) => it.id === id) };
  }

  async findPages(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const states = await this.drafts.readMany(KIND, ids);
    return new Map(
      states.flatMap(({ id, merged }) =>
        merged?.pageId === undefined ? [] : [[id, merged.pageId]],
      ),
    );
  }

  /** Lists the components of a page in the order of the release. */
  async listPlaces(pageId: string): Promise<PagePlace[]> {
    const current = await this.drafts.current.pageComponents.listPlaces(pageId);
    const currentIds = current.map(({ id }) => id);
    const states = await this.drafts.listComponents({ id: pageId, currentIds });
    const page = (await this.drafts.read("page", pageId)).draft;
    const drafts = states.map(({ id, merged }) => ({ id, state: merged, places: merged ?? {} }));
    const order = arrangeDrafts(pageId, currentIds, drafts, page?.componentIds);
    const places = new Map(current.map((place) => [place.id, place]));
    for (const { id, merged } of states) {
      if (merged?.pageId === pageId) places.set(id, placeOf(merged.message as PageComponent));
    }
    return order.flatMap((id) => places.get(id) ?? []);
  }

  async create(
    value: PageComponent,
    { pageId, position }: PageSlot,
  ): Promise<Stored<PageComponent>> {
    const page = await this.drafts.get("page", pageId);
    const ids = (await this.listPlaces(pageId)).map(({ id }) => id);
    const at = Math.min(position ?? ids.length, ids.length);
    const predecessorId = at === 0 ? "" : (ids[at - 1] ?? "");
    const item = { kind: KIND, message: value, line: 0, pageId, predecessorId } as const;
    await this.drafts.create(KIND, value.id, item);
    await this.#follow(ids[at], value.id);
    const order = page.draft?.componentIds;
    if (order !== undefined) await this.#order(page, ids.toSpliced(at, 0, value.id));
    return this.get(value.id);
  }

  async delete(
    id: string,
    check: (current: Stored<PageComponent>, page: readonly PagePlace[]) => void,
  ) {
    const state = await this.drafts.get(KIND, id);
    const { pageId = "" } = state.merged;
    const page = await this.listPlaces(pageId);
    check(
      toStored(state),
      page.filter((it) => it.id !== id),
    );
    const at = page.findIndex((it) => it.id === id);
    const predecessorId = page[at - 1]?.id ?? "";
    await this.drafts.write(KIND, id, state, undefined);
    await this.#follow(page[at + 1]?.id, predecessorId);
    return { pageId, predecessorId, revision: 0 };
  }

  /** Deletes the components of a page. */
  async deleteAll(pageId: string): Promise<void> {
    const ids = (await this.listPlaces(pageId)).map(({ id }) => id);
    for (const state of await this.drafts.readMany(KIND, ids)) {
      await this.drafts.write(KIND, state.id, state, undefined);
    }
  }

  async reorder(
    pageId: string,
    decide: (page: readonly PagePlace[]) => readonly string[],
  ): Promise<readonly string[]> {
    const page = await this.drafts.get("page", pageId);
    const places = await this.listPlaces(pageId);
    await this.#order(page, decide(places));
    return places.map(({ id }) => id);
  }

  /** Writes the order of a page; the current order needs no draft. */
  async #order(page: DraftState & { readonly merged: RecordItem }, ids: readonly string[]) {
    const { componentIds: _, ...merged } = page.merged;
    const { id } = merged.message as PageComponent;
    const current = await this.drafts.current.pageComponents.listPlaces(id);
    const isCurrent =
      ids.length === current.length && current.every((it, index) => it.id === ids[index]);
    await this.drafts.write(
      "page",
      id,
      page,
      isCurrent ? merged : { ...merged, componentIds: ids },
    );
  }

  /** Gives a component that was created in the release another predecessor, because its own has changed. */
  async #follow(id: string | undefined, predecessorId: string): Promise<void> {
    if (id === undefined) return;
    const state = await this.drafts.read(KIND, id);
    if (state.current !== undefined || state.merged === undefined) return;
    await this.drafts.write(KIND, id, state, { ...state.merged, predecessorId });
  }
}
