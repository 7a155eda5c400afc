import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { DeliveredKind, KindMessage } from "../../domain/kinds.ts";
import { ComponentTemplate } from "../../domain/pages/rendering/render-component.ts";
import type { VisibilityScope } from "../../storage/contract/content-store.ts";
import type { PageKey, PageVisibilityScope } from "../../storage/contract/pages.ts";
import type { DeliveryReads, Store } from "../../storage/contract/store.ts";
import { estimateHeap, ScopeMemo } from "./revision-memo.ts";

/** The stores of what editors put together for pages. */
type Reads = Pick<DeliveryReads, "pages" | "visibleDocuments">;

/** Selects resources by id. */
type Ids = VisibilityScope & { readonly ids: readonly string[] };

interface PageTemplate {
  readonly page: Page;
  readonly components: readonly ComponentTemplate[];
}

/** The bytes of the heap that cached pages take, and other reads of each kind. */
const MOST_BYTES = { pages: 64 * 1024 * 1024, others: 32 * 1024 * 1024 };

/** The bytes of the heap that a resource takes with its templates, its JSON and so on, for each byte of its message. */
const RENDERED = 4;

/**
 * The configuration of pages by editors, components as templates; read again after the project has changed, or a window
 * has started or ended. All requests share its messages: they must not be changed.
 */
export class PageConfiguration {
  readonly #reads: Reads;
  readonly #pages: ScopeMemo<PageTemplate>;
  readonly #components: ScopeMemo<readonly ComponentTemplate[]>;
  readonly #documents: ScopeMemo<readonly KindMessage<DeliveredKind>[]>;

  constructor(reads: Reads, store: Pick<Store, "knownRevision">) {
    this.#reads = reads;
    const { pages, others } = MOST_BYTES;
    const sizeOf = (value: unknown) => RENDERED * estimateHeap(value, pages / RENDERED);
    this.#pages = new ScopeMemo<PageTemplate>(store, pages, sizeOf);
    this.#components = new ScopeMemo<readonly ComponentTemplate[]>(store, others, sizeOf);
    this.#documents = new ScopeMemo<readonly KindMessage<DeliveredKind>[]>(store, others, sizeOf);
  }

  /** See `PageStore.get`. */
  getPage(key: PageKey, budget: WorkBudget): Promise<PageTemplate> {
    return this.#pages.find(key, async (scope) => {
      const { page, components } = await this.#reads.pages.get(scope, budget);
      return { page, components: toTemplates(components) };
    });
  }

  /** See `PageStore.getComponents`. */
  async getComponents(key: Ids & PageVisibilityScope): Promise<readonly ComponentTemplate[]> {
    if (key.ids.length === 0) return [];
    return this.#components.find(key, async (scope) =>
      toTemplates(await this.#reads.pages.getComponents(scope)),
    );
  }

  /** See `VisibleDocumentStore.getMany`. */
  async getDocuments<Kind extends DeliveredKind>(
    kind: Kind,
    key: Ids,
  ): Promise<readonly KindMessage<Kind>[]> {
    if (key.ids.length === 0) return [];
    const documents = await this.#documents.find({ ...key, kind }, (scope) =>
      this.#reads.visibleDocuments.getMany(kind, scope),
    );
    return documents as readonly KindMessage<Kind>[];
  }
}

function toTemplates(components: readonly PageComponent[]): readonly ComponentTemplate[] {
  return components.map((component) => new ComponentTemplate(component));
}
